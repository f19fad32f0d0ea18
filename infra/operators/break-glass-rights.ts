import type { Construct } from 'constructs'
import { tokenSecretArns } from '../functions/token-secrets.ts'
import { may, mayNot } from '../roles/may.ts'
import { allowKeyUse } from '../storage/encryption-key.ts'
import { type OperatedParts, resourceArns, tasksOf } from './operated.ts'

const items = [
  'dynamodb:BatchGetItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:ConditionCheckItem',
  'dynamodb:DeleteItem',
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:Query',
  'dynamodb:Scan',
  'dynamodb:UpdateItem',
]

/** Actions that configure a restored table. On the table in use, these actions could remove backups, the stream, the policy or items. */
const restoredSettings = [
  'dynamodb:PutResourcePolicy',
  'dynamodb:UpdateContinuousBackups',
  'dynamodb:UpdateTable',
  'dynamodb:UpdateTimeToLive',
]

const restores = [
  'dynamodb:DescribeContinuousBackups',
  'dynamodb:DescribeTable',
  'dynamodb:GetResourcePolicy',
  'dynamodb:RestoreTableToPointInTime',
]

/**
 * Builds the emergency permissions: access to items and secrets, restores, and the creation of administrators. No permission deletes tables
 * or keys.
 */
export function breakGlassRights(scope: Construct, parts: OperatedParts) {
  const { settings, storage, streams, apiIds } = parts
  // Includes every version of the consumers.
  const consumers = streams.flatMap(({ consumer: { functionArn } }) => [functionArn, `${functionArn}:*`])
  const feedsConsumer = { ArnLike: { 'lambda:FunctionArn': consumers } }
  const arns = resourceArns(scope, settings)
  const { table, failures, signingSecret, sealed, sealKey, archive, key } = storage
  const keys = [sealKey, ...(key ? [key] : [])].map(({ keyArn }) => keyArn)
  const tables = [table.tableArn, arns.tables]
  return [
    may(['lambda:InvokeFunction'], tasksOf(parts, true)),
    // Allows creating a temporary mapping that reads a stream again.
    may(['lambda:CreateEventSourceMapping', 'lambda:DeleteEventSourceMapping'], ['*'], feedsConsumer),
    // Allows changes to mappings only in an emergency. A changed filter could omit records from the change log, and no condition key covers
    // filters.
    may(['lambda:UpdateEventSourceMapping'], [arns.mappings], feedsConsumer),
    may([...items, ...restores, ...restoredSettings], tables),
    // Denies changes to the table in use, because the template defines its configuration.
    mayNot(restoredSettings, [table.tableArn]),
    may(
      ['apigateway:PATCH'],
      apiIds.map((id) => arns.api(id, '/stages/*')),
    ),
    may(['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'], [signingSecret.secretArn]),
    may(['secretsmanager:ListSecrets']),
    may(
      ['secretsmanager:DeleteSecret', 'secretsmanager:DescribeSecret', 'secretsmanager:GetSecretValue'],
      [tokenSecretArns(scope, settings)],
    ),
    may(['s3:ListBucketVersions'], [sealed.bucketArn, archive.bucketArn]),
    may(
      ['s3:GetObject', 's3:GetObjectVersion', 's3:PutObject'],
      [sealed.arnForObjects('*'), archive.arnForObjects('*')],
    ),
    may(['s3:GetObject'], [failures.arnForObjects('aws/lambda/*')]),
    may(['kms:CancelKeyDeletion', 'kms:DescribeKey', 'kms:EnableKey'], keys),
    ...(key ? [allowKeyUse(scope, key)] : []),
  ]
}
