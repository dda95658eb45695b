import { Duration, Validations } from 'aws-cdk-lib';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  type IOrigin,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Construct } from 'constructs';
import type { HttpRoutes } from '../constructs/http-routes.ts';
import { apiRequestCode, MEDIA_ANSWER_CODE } from './edge-functions.ts';
import type { MediaStorage } from './media-storage.ts';

interface PublicHostProps {
  readonly routes: HttpRoutes;
  readonly storage: MediaStorage;
  readonly basePath: string;
  /** Takes forms with files. @default functions take them, as far as they can */
  readonly uploads?: IOrigin | undefined;
}

/** The one host clients know: the API, uploads in forms, and media. */
export class PublicHost extends Construct {
  /** Without a slash at the end. */
  readonly url: string;
  /** Where media is served, without a slash at the end; an object's key begins with the path's last part. */
  readonly mediaUrl: string;

  constructor(scope: Construct, id: string, { routes, storage, basePath, uploads }: PublicHostProps) {
    super(scope, id);
    const toApi = new EdgeFunction(this, 'ApiRequest', {
      code: FunctionCode.fromInline(apiRequestCode({ basePath, hasUploadGateway: uploads !== undefined })),
      runtime: FunctionRuntime.JS_2_0,
    });
    const api = (origin: IOrigin): BehaviorOptions => ({
      origin,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      // The API answers to its own host name alone.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      functionAssociations: [{ function: toApi, eventType: FunctionEventType.VIEWER_REQUEST }],
    });
    const distribution = new Distribution(this, 'Distribution', {
      httpVersion: HttpVersion.HTTP2_AND_3,
      defaultBehavior: api(new HttpOrigin(routes.domainName, { readTimeout: Duration.seconds(40) })),
      additionalBehaviors: {
        '/media/*': this.media(storage),
        // Nobody asks for this path: it makes the gateway known as an origin, which the function then chooses.
        ...(uploads && { [`${basePath}/uploads`]: api(uploads) }),
      },
    });
    this.url = `https://${distribution.distributionDomainName}`;
    this.mediaUrl = `${this.url}/media`;
    Validations.of(distribution).acknowledge(
      { id: 'AwsSolutions-CFR1', reason: 'Clients, and platforms that fetch media, are anywhere.' },
      {
        id: 'AwsSolutions-CFR2',
        reason: 'Every request is authenticated and counted per key before it costs more than one write.',
      },
      {
        id: 'AwsSolutions-CFR3',
        reason: 'The API and the upload gateway log each request; reads of public media are nobody’s secret.',
      },
      {
        id: 'AwsSolutions-CFR4',
        reason:
          'The certificate of cloudfront.net allows no choice of TLS versions; a domain of one’s own does.',
      },
      {
        id: 'AwsSolutions-CFR5',
        reason:
          'The API is reached by TLS 1.2; the upload gateway within the network of CloudFront and our VPC.',
      },
    );
  }

  private media(storage: MediaStorage): BehaviorOptions {
    const answers = new EdgeFunction(this, 'MediaAnswer', {
      code: FunctionCode.fromInline(MEDIA_ANSWER_CODE),
      runtime: FunctionRuntime.JS_2_0,
    });
    return {
      origin: S3BucketOrigin.withOriginAccessControl(storage.bucket),
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      compress: false,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      functionAssociations: [{ function: answers, eventType: FunctionEventType.VIEWER_RESPONSE }],
      responseHeadersPolicy: new ResponseHeadersPolicy(this, 'MediaHeaders', {
        securityHeadersBehavior: {
          contentTypeOptions: { override: true },
          contentSecurityPolicy: { contentSecurityPolicy: "default-src 'none'; sandbox", override: true },
        },
        corsBehavior: {
          accessControlAllowCredentials: false,
          accessControlAllowHeaders: ['*'],
          accessControlAllowMethods: ['GET', 'HEAD'],
          accessControlAllowOrigins: ['*'],
          originOverride: true,
        },
      }),
    };
  }
}
