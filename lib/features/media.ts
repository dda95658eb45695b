import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Permission } from '../constructs/permission.ts';
import type { Stage } from '../stages.ts';

interface MediaProps {
  readonly stage: Stage;
}

/** Images and videos: where they lie. */
export class Media extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { stage }: MediaProps) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      removalPolicy: stage.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      lifecycleRules: [
        // Uploads that were never registered.
        { id: 'abandoned uploads', prefix: 'incoming/', expiration: Duration.days(1) },
        { id: 'abandoned parts', abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      cors: [
        {
          allowedOrigins: [...stage.uploadOrigins],
          allowedMethods: [HttpMethods.PUT],
          allowedHeaders: ['content-type'],
          maxAge: 3600,
        },
      ],
    });
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'Objects are written by our functions and by URLs they sign, each of which leaves a row; server access ' +
        'logs would need a second bucket and tell nothing more about who uploaded.',
    });
  }

  /** Permission to read the bytes of media. */
  readObjects(): Permission {
    return {
      statement: new PolicyStatement({
        actions: ['s3:GetObject'],
        resources: [this.bucket.arnForObjects('*')],
      }),
      wildcardReason: 'Objects are named at run time; the pattern covers the objects of this one bucket.',
    };
  }
}
