import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { TableEnv } from '../../functions/shared/env.ts';
import type { EnvOf } from '../../functions/shared/read-env.ts';
import { Endpoint } from '../constructs/endpoint.ts';
import type { Permission } from '../constructs/permission.ts';
import type { Stage } from '../stages.ts';
import { authenticate, type Service, WORKSPACE_ROWS } from './service.ts';

interface ChannelsProps extends Service {
  readonly stage: Stage;
}

/** Connected accounts, and the key their credentials are encrypted with. */
export class Channels extends Construct {
  readonly credentialsKey: Key;

  constructor(scope: Construct, id: string, { stage, ...service }: ChannelsProps) {
    super(scope, id);
    const { table } = service;
    this.credentialsKey = new Key(this, 'CredentialsKey', {
      description:
        'Encrypts the credentials of channels; the encryption context names workspace and channel.',
      enableKeyRotation: true,
      removalPolicy: stage.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      pendingWindow: Duration.days(stage.keepsData ? 30 : 7),
    });
    new Endpoint<EnvOf<typeof TableEnv>>(this, 'ListChannels', {
      ...service,
      route: 'GET /channels',
      entry: 'channels/list-channels',
      environment: { SERVICE_TABLE: table.name },
      permissions: [authenticate(table), table.read(WORKSPACE_ROWS)],
    });
  }

  /** Permission to decrypt credentials, provided the call names the workspace and the channel they belong to. */
  decryptCredentials(): Permission {
    return this.onCredentials('kms:Decrypt');
  }

  /** Permission to encrypt credentials anew, as renewing them does, for one workspace and channel likewise. */
  encryptCredentials(): Permission {
    return this.onCredentials('kms:Encrypt');
  }

  private onCredentials(action: 'kms:Decrypt' | 'kms:Encrypt'): Permission {
    return {
      statement: new PolicyStatement({
        actions: [action],
        resources: [this.credentialsKey.keyArn],
        conditions: {
          // A key the call does not carry matches no pattern: both must be named.
          StringLike: {
            'kms:EncryptionContext:workspace_id': '*',
            'kms:EncryptionContext:channel_id': '*',
          },
        },
      }),
    };
  }
}
