import { RemovalPolicy } from 'aws-cdk-lib'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { acknowledge } from '../nag/acknowledge.ts'
import type { Settings } from '../settings/settings.ts'

/** Retains a data resource when its stack is deleted or replaces the resource, but not after a failed creation. */
export const removalPolicyOf = ({ keepData }: Settings): RemovalPolicy =>
  keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY

/** Creates a data bucket. Without `keepData`, the bucket is emptied and deleted with its stack. */
export function dataBucket(
  scope: Construct,
  id: string,
  settings: Settings,
  key: IKey | null,
  withoutLog: string,
  overrides: BucketProps,
): Bucket {
  const bucket = new Bucket(scope, id, {
    ...(key
      ? { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true }
      : { encryption: BucketEncryption.S3_MANAGED }),
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    versioned: true,
    removalPolicy: removalPolicyOf(settings),
    autoDeleteObjects: !settings.keepData,
    ...overrides,
  })
  acknowledge(bucket, 'AwsSolutions-S1', withoutLog)
  return bucket
}
