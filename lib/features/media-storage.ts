import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Permission } from '../constructs/permission.ts';
import type { Stage } from '../stages.ts';

interface MediaStorageProps {
  readonly stage: Stage;
}

/** Where objects lie: uploads on their way, which vanish by themselves, and media that is served. */
export type ObjectPrefix = 'incoming/' | 'media/';

/** Where the bytes of images and videos lie. */
export class MediaStorage extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { stage }: MediaStorageProps) {
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

  /** Permission to read objects. */
  read(...prefixes: readonly ObjectPrefix[]): Permission {
    return this.onObjects(prefixes, 's3:GetObject');
  }

  /** Permission to write objects, whole or in parts. */
  write(...prefixes: readonly ObjectPrefix[]): Permission {
    return this.onObjects(prefixes, 's3:PutObject', 's3:AbortMultipartUpload');
  }

  /** Permission to remove objects. */
  remove(...prefixes: readonly ObjectPrefix[]): Permission {
    return this.onObjects(prefixes, 's3:DeleteObject');
  }

  /** Permission to learn that an object is absent: without it S3 says "denied" instead of "not found". */
  seeAbsence(): Permission {
    return {
      statement: new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] }),
    };
  }

  private onObjects(prefixes: readonly ObjectPrefix[], ...actions: string[]): Permission {
    const resources = prefixes.map((prefix) => this.bucket.arnForObjects(`${prefix}*`));
    return {
      statement: new PolicyStatement({ actions, resources }),
      wildcardReason: 'Objects are named at run time; the patterns cover one prefix each of this one bucket.',
    };
  }
}
