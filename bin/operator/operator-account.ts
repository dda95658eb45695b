import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import * as v from 'valibot';
import { PlatformApis } from '../../functions/publishing/env.ts';
import type { AwsAccount } from '../../functions/shared/aws-clients.ts';
import { PLATFORM_APIS } from '../../lib/platform-apis.ts';
import { OperatorError } from './operator-error.ts';

/** The outputs of the stack the operator goes by. */
const Outputs = v.object({
  TableName: v.string(),
  CredentialsKeyArn: v.string(),
  DueQueueUrl: v.string(),
  DueDeadLettersUrl: v.string(),
  PublishQueueUrl: v.string(),
  PublishDeadLettersUrl: v.string(),
  FetchQueueUrl: v.string(),
  FetchDeadLettersUrl: v.string(),
  ProcessQueueUrl: v.string(),
  ProcessDeadLettersUrl: v.string(),
});

/** Which service to operate, and with whose rights. */
export interface OperatorAccount {
  readonly aws: AwsAccount;
  readonly outputs: v.InferOutput<typeof Outputs>;
  /** Whether it is the service on this machine, where webhooks may go to loopback addresses. */
  readonly isLocal: boolean;
  /** Where the platforms' APIs are. */
  readonly platformApis: v.InferOutput<typeof PlatformApis>;
}

const LocalAccount = v.object({
  region: v.string(),
  endpoint: v.string(),
  access_key_id: v.string(),
  secret_access_key: v.string(),
  outputs: Outputs,
  platform_apis: v.optional(PlatformApis, PLATFORM_APIS),
});

/**
 * The service running on this machine, found through its state directory.
 *
 * @throws {OperatorError} when none is running there.
 */
export function localAccount(stateDirectory: string): OperatorAccount {
  const file = join(stateDirectory, 'operator.json');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new OperatorError(
      `no service is running in ${stateDirectory}: start it with npm start, name its directory with STATE_DIR, or a deployed stage with --stage NAME`,
    );
  }
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), LocalAccount), text);
  if (!read.success)
    throw new OperatorError(`${file} is not of this version: restart the service with npm start`);
  const { region, endpoint, access_key_id, secret_access_key, outputs, platform_apis } = read.output;
  const credentials = { accessKeyId: access_key_id, secretAccessKey: secret_access_key };
  return { aws: { region, endpoint, credentials }, outputs, isLocal: true, platformApis: platform_apis };
}

/**
 * A deployed stage, in the AWS account and region of the shell, with the rights of whoever asks.
 *
 * @throws {OperatorError} when there is no such stack, or it is of another version.
 */
export async function stageAccount(
  stage: string,
  client: CloudFormationClient = new CloudFormationClient(),
): Promise<OperatorAccount> {
  const name = `SocialPosts-${stage}`;
  const { Stacks: [stack] = [] } = await client
    .send(new DescribeStacksCommand({ StackName: name }))
    .catch((error: unknown) => {
      const isMissing =
        error instanceof CloudFormationServiceException && error.message.includes('does not exist');
      if (!isMissing) throw error;
      throw new OperatorError(
        `there is no stack ${name} in this AWS account and region: deploy it with npm run deploy -- -c stage=${stage}`,
      );
    });
  const told = (stack?.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]);
  const outputs = v.safeParse(Outputs, Object.fromEntries(told));
  if (!outputs.success) {
    throw new OperatorError(
      `the stack ${name} lacks ${v.getDotPath(outputs.issues[0])} among its outputs: deploy it again`,
    );
  }
  return { aws: {}, outputs: outputs.output, isLocal: false, platformApis: PLATFORM_APIS };
}
