import { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { awsClient } from './clients.ts'

export const s3 = (): S3Client => awsClient(S3Client)

export const hasStatus = (error: unknown, ...statuses: number[]): boolean =>
  error instanceof S3ServiceException && statuses.includes(error.$metadata.httpStatusCode ?? 0)
