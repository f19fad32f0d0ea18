import type { Role } from 'aws-cdk-lib/aws-iam'
import { acknowledge } from './acknowledge.ts'

/** Says why the role of a traced function may write to every resource of X-Ray. */
export const acknowledgeTracing = (role: Role): void =>
  acknowledge(
    role,
    'AwsSolutions-IAM5[Resource::*]',
    'X-Ray knows no resources: a function may send its traces, or not.',
  )
