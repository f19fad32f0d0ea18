import type { IDestination, IEventSourceDlq, IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { acknowledgeGeneratedNames } from '../nag/acknowledge.ts'
import { may } from '../roles/may.ts'

/** Destination in a bucket for failed batches and runs. The CDK's own classes would also grant permission to delete objects. */
export const failureDestination = (bucket: IBucket): IDestination & IEventSourceDlq => ({
  bind(_source: unknown, failing: IFunction) {
    const objects = bucket.arnForObjects('*')
    acknowledgeGeneratedNames(failing.role ?? failing, bucket, objects)
    failing.addToRolePolicy(may(['s3:PutObject'], [objects]))
    failing.addToRolePolicy(may(['s3:ListBucket'], [bucket.bucketArn]))
    return { destination: bucket.bucketArn }
  },
})
