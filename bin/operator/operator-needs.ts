import { apiKeyStore } from '../../functions/access/api-key-store.ts';
import { brandKitStore } from '../../functions/captions/brand-kit-store.ts';
import { channelStore } from '../../functions/channels/channel-store.ts';
import { kmsVault } from '../../functions/channels/credential-vault.ts';
import { dynamoClient, kmsClient, sqsClient } from '../../functions/shared/aws-clients.ts';
import { newId } from '../../functions/shared/ids.ts';
import { dynamoTable } from '../../functions/shared/table/service-table.ts';
import { workspaceStore } from '../../functions/workspaces/workspace-store.ts';
import type { OperatorAccount } from './operator-account.ts';
import { redrive } from './redrive.ts';

/** What the operator's use cases are wired with; nothing is called before one of them runs. */
export function operatorNeeds({ aws, outputs, isLocal }: OperatorAccount) {
  const table = dynamoTable(dynamoClient(aws), outputs.TableName);
  const workspaces = workspaceStore(table);
  const sqs = sqsClient(aws);
  const due = { queueUrl: outputs.DueQueueUrl, deadLettersUrl: outputs.DueDeadLettersUrl };
  const publish = { queueUrl: outputs.PublishQueueUrl, deadLettersUrl: outputs.PublishDeadLettersUrl };
  return {
    workspaces,
    workspace: workspaces.find,
    apiKeys: apiKeyStore(table),
    channels: channelStore(table),
    brandKits: brandKitStore(table),
    vault: kmsVault(kmsClient(aws), outputs.CredentialsKeyArn),
    clock: Date.now,
    newId,
    ...(isLocal && { loopback: 'allowed' as const }),
    /** Puts what a queue's workers gave up on back into it. */
    redrive: { due: () => redrive(sqs, due), publish: () => redrive(sqs, publish) },
  };
}
export type OperatorNeeds = ReturnType<typeof operatorNeeds>;
