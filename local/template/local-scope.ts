import type { StackTemplate } from './cloud-assembly.ts';
import type { Scope } from './intrinsics.ts';

/** Where the service on this machine is reached; what a deployment learns from AWS. */
export interface LocalAddresses {
  readonly region: string;
  readonly accountId: string;
  /** The AWS edge: origin without a trailing slash. */
  readonly awsEndpoint: string;
  /** The public server: origin without a trailing slash. */
  readonly origin: string;
}

type Attributes = (name: string, addresses: LocalAddresses) => Readonly<Record<string, string>>;

/** What `Ref` (the empty name) and `Fn::GetAtt` give for each kind of resource that others refer to. */
const ATTRIBUTES: Readonly<Record<string, Attributes>> = {
  'AWS::Lambda::Function': (name, at) => ({ '': name, Arn: arn(at, 'lambda', `function:${name}`) }),
  'AWS::DynamoDB::Table': (name, at) => ({ '': name, Arn: arn(at, 'dynamodb', `table/${name}`) }),
  'AWS::DynamoDB::GlobalTable': (name, at) => ({ '': name, Arn: arn(at, 'dynamodb', `table/${name}`) }),
  'AWS::SQS::Queue': (name, at) => ({
    '': `${at.awsEndpoint}/${at.accountId}/${name}`,
    Arn: arn(at, 'sqs', name),
    QueueName: name,
    QueueUrl: `${at.awsEndpoint}/${at.accountId}/${name}`,
  }),
  'AWS::S3::Bucket': (name) => ({
    '': name.toLowerCase(),
    Arn: `arn:aws:s3:::${name.toLowerCase()}`,
    RegionalDomainName: `${name.toLowerCase()}.s3.localhost`,
  }),
  'AWS::KMS::Key': (name, at) => ({ '': name, Arn: arn(at, 'kms', `key/${name}`), KeyId: name }),
  'AWS::IAM::Role': (name, at) => ({ '': name, Arn: `arn:aws:iam::${at.accountId}:role/${name}` }),
  'AWS::Scheduler::ScheduleGroup': (name, at) => ({
    '': name,
    Arn: arn(at, 'scheduler', `schedule-group/${name}`),
  }),
  'AWS::Lambda::LayerVersion': (name, at) => ({ '': arn(at, 'lambda', `layer:${name}:1`) }),
  'AWS::CloudFront::Distribution': (_, at) => ({ '': 'local', DomainName: new URL(at.origin).host }),
  'AWS::Logs::LogGroup': (name, at) => ({ '': name, Arn: arn(at, 'logs', `log-group:${name}:*`) }),
  'AWS::ApiGatewayV2::Api': (name, at) => ({ '': name, ApiEndpoint: at.origin }),
  'AWS::ApiGatewayV2::Integration': (name) => ({ '': name }),
  'AWS::ApiGatewayV2::Stage': () => ({ '': '$default' }),
};

/** The account-level ARN of a service's resource. */
function arn(at: LocalAddresses, service: string, resource: string): string {
  return `arn:aws:${service}:${at.region}:${at.accountId}:${resource}`;
}

/** A scope in which a stack's resources stand under their logical ids on this machine. */
export function localScope(template: StackTemplate, addresses: LocalAddresses): Scope {
  const attribute = (logicalId: string, name: string): string => {
    const type = template.Resources[logicalId]?.Type;
    if (!type) throw new Error(`the template refers to ${logicalId}, which it does not have`);
    const found = ATTRIBUTES[type]?.(physicalName(template, logicalId), addresses)[name];
    if (found === undefined) {
      throw new Error(`the local service does not know ${name || 'Ref'} of ${type} (${logicalId})`);
    }
    return found;
  };
  const pseudo: Readonly<Record<string, string>> = {
    'AWS::Region': addresses.region,
    'AWS::AccountId': addresses.accountId,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': 'local',
  };
  const ref = (name: string): string => {
    const parameter = template.Parameters[name]?.Default;
    return pseudo[name] ?? (parameter === undefined ? attribute(name, '') : String(parameter));
  };
  return { ref, attribute };
}

/** The properties by which a template names a resource itself. */
const NAME_PROPERTIES = ['Name', 'FunctionName', 'TableName', 'QueueName', 'BucketName', 'RoleName'];

/** The name a resource has here: the template's, or else its logical id. */
function physicalName({ Resources }: StackTemplate, logicalId: string): string {
  const properties = Resources[logicalId]?.Properties ?? {};
  const given = NAME_PROPERTIES.map((property) => properties[property]).find(
    (value) => typeof value === 'string',
  );
  return typeof given === 'string' ? given : logicalId;
}
