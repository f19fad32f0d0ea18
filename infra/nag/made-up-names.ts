import type { IBucket } from 'aws-cdk-lib/aws-s3'
import type { IConstruct } from 'constructs'
import { acknowledge, wildcardRule } from './acknowledge.ts'

/** Says why these objects of a bucket are named by a wildcard. */
export const acknowledgeMadeUpNames = (user: IConstruct, bucket: IBucket, objects: string): void =>
  acknowledge(user, wildcardRule(bucket, objects), 'Lambda makes up the name of each object.')
