import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type ApiKeyStore, apiKeyStore } from '../functions/access/api-key-store.ts';
import { type BrandKitStore, brandKitStore } from '../functions/captions/brand-kit-store.ts';
import { type ChannelStore, channelStore } from '../functions/channels/channel-store.ts';
import { type CredentialVault, kmsVault } from '../functions/channels/credential-vault.ts';
import type { Clock } from '../functions/shared/clock.ts';
import { type NewId, newId } from '../functions/shared/ids.ts';
import { dynamoTable } from '../functions/shared/table/service-table.ts';
import { type WorkspaceStore, workspaceStore } from '../functions/workspaces/workspace-store.ts';

/** What is needed to act as the operator; `operator.json` in the state directory. */
export interface OperatorAccount {
  readonly region: string;
  readonly endpoint: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  /** The stack's outputs. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Where the platforms' APIs are. */
  readonly platform_apis: Readonly<Record<string, string>>;
}

/** The stores as the operator uses them. */
export interface OperatorAccess {
  readonly documents: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly workspaces: WorkspaceStore;
  readonly apiKeys: ApiKeyStore;
  readonly channels: ChannelStore;
  readonly brandKits: BrandKitStore;
  readonly vault: CredentialVault;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Opens the stores with the operator's rights. */
export function operatorAccess(account: OperatorAccount): OperatorAccess {
  const settings = {
    region: account.region,
    endpoint: account.endpoint,
    credentials: { accessKeyId: account.access_key_id, secretAccessKey: account.secret_access_key },
  };
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(settings), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const tableName = outputOf(account, 'TableName');
  const table = dynamoTable(documents, tableName);
  return {
    documents,
    tableName,
    workspaces: workspaceStore(table),
    apiKeys: apiKeyStore(table),
    channels: channelStore(table),
    brandKits: brandKitStore(table),
    vault: kmsVault(new KMSClient(settings), outputOf(account, 'CredentialsKeyArn')),
    clock: Date.now,
    newId,
  };
}

function outputOf({ outputs }: OperatorAccount, name: string): string {
  const value = outputs[name];
  if (value === undefined) throw new Error(`the stack has no output ${name}`);
  return value;
}
