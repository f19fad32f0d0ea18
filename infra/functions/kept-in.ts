import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { IDestination, IEventSourceDlq, IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { acknowledgeMadeUpNames } from '../nag/made-up-names.ts'

/**
 * Where what a function has failed on lies whole, with its reason: batches of a stream, and runs. The CDK's own classes would let
 * the function delete it, too.
 */
export const keptIn = (bucket: IBucket): IDestination & IEventSourceDlq => ({
  bind(_source: unknown, failing: IFunction) {
    const objects = bucket.arnForObjects('*')
    acknowledgeMadeUpNames(failing.role ?? failing, bucket, objects)
    failing.addToRolePolicy(new PolicyStatement({ actions: ['s3:PutObject'], resources: [objects] }))
    failing.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }))
    return { destination: bucket.bucketArn }
  },
})
