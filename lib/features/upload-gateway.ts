import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { type IOrigin, OriginProtocolPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { VpcOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import {
  FlowLogDestination,
  FlowLogTrafficType,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import {
  AwsLogDriver,
  Cluster,
  ContainerImage,
  ContainerInsights,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import { ApplicationLoadBalancer, ApplicationProtocol } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionSettings } from '../constructs/service-function.ts';
import { UPLOADS_ORIGIN } from './edge-functions.ts';

interface UploadGatewayProps {
  readonly settings: FunctionSettings;
  /** Where the API itself is, with its base path. */
  readonly apiUrl: string;
}

const CONTAINER_PORT = 8080;
/** A container is never alone, so that one may be replaced. */
const CONTAINERS = 2;
const MAX_CONTAINERS = 10;

/**
 * The container that takes forms with files up to 16 MB, more than a function's request holds. It has no role
 * to do anything with: it calls the API as whoever sent the form, and storage by the URLs it is given for it.
 */
export class UploadGateway extends Construct {
  /** For CloudFront, which alone can reach it: the load balancer has no public address. */
  readonly origin: IOrigin;

  constructor(scope: Construct, id: string, { settings, apiUrl }: UploadGatewayProps) {
    super(scope, id);
    const logs = new LogGroup(this, 'Log', {
      retention: settings.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const vpc = new Vpc(this, 'Vpc', {
      maxAzs: 2,
      natGateways: 0,
      // Nothing uses the default group; taking its rules away would cost a function of its own.
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [
        { name: 'Containers', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false },
        { name: 'LoadBalancer', subnetType: SubnetType.PRIVATE_ISOLATED },
      ],
      flowLogs: {
        Rejected: {
          destination: FlowLogDestination.toCloudWatchLogs(
            new LogGroup(this, 'FlowLog', {
              retention: settings.logRetention,
              removalPolicy: RemovalPolicy.DESTROY,
            }),
          ),
          trafficType: FlowLogTrafficType.REJECT,
        },
      },
    });
    const task = new FargateTaskDefinition(this, 'Task', {
      cpu: 512,
      memoryLimitMiB: 1024,
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
    });
    task.addContainer('Gateway', {
      image: ContainerImage.fromAsset(settings.bundles.uploadGateway()),
      environment: { API_URL: apiUrl, PORT: String(CONTAINER_PORT) },
      portMappings: [{ containerPort: CONTAINER_PORT }],
      logging: new AwsLogDriver({ logGroup: logs, streamPrefix: 'upload' }),
      readonlyRootFilesystem: true,
      stopTimeout: Duration.seconds(60),
    });
    const service = new FargateService(this, 'Service', {
      cluster: new Cluster(this, 'Cluster', { vpc, containerInsightsV2: ContainerInsights.ENABLED }),
      taskDefinition: task,
      desiredCount: CONTAINERS,
      minHealthyPercent: 100,
      circuitBreaker: { rollback: true },
      // To fetch its image and to call the API and storage, without a NAT gateway; nobody can call it there.
      assignPublicIp: true,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
    });
    service
      .autoScaleTaskCount({ minCapacity: CONTAINERS, maxCapacity: MAX_CONTAINERS })
      .scaleOnCpuUtilization('Cpu', { targetUtilizationPercent: 60 });

    const fromCloudFront = new SecurityGroup(this, 'FromCloudFront', { vpc, allowAllOutbound: false });
    fromCloudFront.addIngressRule(Peer.anyIpv4(), Port.tcp(80), 'CloudFront, through its VPC origin');
    Validations.of(fromCloudFront).acknowledge({
      id: 'AwsSolutions-EC23',
      reason: 'The balancer has no public address and its subnets no route: only a VPC origin leads to it.',
    });
    const balancer = new ApplicationLoadBalancer(this, 'LoadBalancer', {
      vpc,
      internetFacing: false,
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      securityGroup: fromCloudFront,
      dropInvalidHeaderFields: true,
      idleTimeout: Duration.seconds(120),
    });
    balancer
      .addListener('Listener', { protocol: ApplicationProtocol.HTTP, open: false })
      .addTargets('Containers', {
        protocol: ApplicationProtocol.HTTP,
        port: CONTAINER_PORT,
        targets: [service],
        deregistrationDelay: Duration.seconds(60),
        healthCheck: { path: '/health', interval: Duration.seconds(15) },
      });
    this.origin = VpcOrigin.withApplicationLoadBalancer(balancer, {
      originId: UPLOADS_ORIGIN,
      protocolPolicy: OriginProtocolPolicy.HTTP_ONLY,
      readTimeout: Duration.seconds(60),
    });
    Validations.of(task).acknowledge(
      {
        id: 'AwsSolutions-ECS2',
        reason: 'The environment holds an address and a port; the container has no secrets.',
      },
      {
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason:
          'Fetching the image takes a token for the whole registry, which has no resource to name; the container ' +
          'itself has a role with no permissions.',
      },
    );
    Validations.of(balancer).acknowledge({
      id: 'AwsSolutions-ELB2',
      reason: 'CloudFront alone reaches it; the API logs each of the calls a form comes to.',
    });
  }
}
