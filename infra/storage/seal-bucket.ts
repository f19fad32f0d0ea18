import { Duration } from 'aws-cdk-lib'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket, ObjectLockRetention } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { acknowledge } from '../nag/acknowledge.ts'
import type { Settings } from '../settings/settings.ts'
import { bucketKeptBy } from './kept-by.ts'
import { lockDays } from './lock-days.ts'

/**
 * The bucket of the sealed logs (S3). It can always be locked, so that the lock can be turned on later without another
 * bucket; a trial whose data is to go with it is never locked. One that is there already keeps the lock that it has.
 */
export function sealBucket(scope: Construct, settings: Settings, key: IKey | null): IBucket {
  if (settings.sealBucket !== null) return Bucket.fromBucketName(scope, 'Sealed', settings.sealBucket)
  const days = lockDays(settings)
  const bucket = new Bucket(scope, 'Sealed', {
    ...(key
      ? { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true }
      : { encryption: BucketEncryption.S3_MANAGED }),
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    versioned: true,
    objectLockEnabled: true,
    ...(days > 0 && { objectLockDefaultRetention: ObjectLockRetention.compliance(Duration.days(days)) }),
    ...bucketKeptBy(settings),
    // What a newer checkpoint has replaced is of no use when nobody has to keep it.
    lifecycleRules: [{ noncurrentVersionExpiration: Duration.days(Math.max(7, days)) }],
  })
  acknowledge(
    bucket,
    'AwsSolutions-S1',
    'One function writes and nobody can delete; a trail of data events shows who reads, a second bucket would not.',
  )
  return bucket
}
