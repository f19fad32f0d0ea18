import type { Construct } from 'constructs'
import { tokenSecretArns } from '../functions/token-secrets.ts'
import { may, mayNot } from '../roles/may.ts'
import { useOfKey } from '../storage/encryption-key.ts'
import { type Operated, ownArns, tasksOf } from './operated.ts'

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

/** Settings that a restored table gets. On the table in use they would end its backups, its stream, its policy or its items. */
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

/** Rights for an emergency: items, secrets, a restore, and what makes an administrator. They delete neither tables nor keys. */
export function breakGlassRights(scope: Construct, operated: Operated) {
  const { settings, storage, streams, apiIds } = operated
  // At whatever version.
  const consumers = streams.flatMap(({ consumer: { functionArn } }) => [functionArn, `${functionArn}:*`])
  const feedsConsumer = { ArnLike: { 'lambda:FunctionArn': consumers } }
  const own = ownArns(scope, settings)
  const { table, failures, signingSecret, sealed, sealKey, key } = storage
  const keys = [sealKey, ...(key ? [key] : [])].map(({ keyArn }) => keyArn)
  const tables = [table.tableArn, own.tables]
  return [
    may(['lambda:InvokeFunction'], tasksOf(operated, true)),
    // A temporary mapping, which reads a stream again.
    may(['lambda:CreateEventSourceMapping', 'lambda:DeleteEventSourceMapping'], ['*'], feedsConsumer),
    // Its filter could leave records out of the change log, and no key of a condition knows the filter.
    may(['lambda:UpdateEventSourceMapping'], [own.mappings], feedsConsumer),
    may([...items, ...restores, ...restoredSettings], tables),
    // A restored table gets them before it is used; those of the table in use are the template's.
    mayNot(restoredSettings, [table.tableArn]),
    may(
      ['apigateway:PATCH'],
      apiIds.map((id) => own.api(id, '/stages/*')),
    ),
    may(['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'], [signingSecret.secretArn]),
    may(['secretsmanager:ListSecrets']),
    may(
      ['secretsmanager:DeleteSecret', 'secretsmanager:DescribeSecret', 'secretsmanager:GetSecretValue'],
      [tokenSecretArns(scope, settings)],
    ),
    may(['s3:ListBucketVersions'], [sealed.bucketArn]),
    may(['s3:GetObject', 's3:GetObjectVersion', 's3:PutObject'], [sealed.arnForObjects('*')]),
    may(['s3:GetObject'], [failures.arnForObjects('aws/lambda/*')]),
    may(['kms:CancelKeyDeletion', 'kms:DescribeKey', 'kms:EnableKey'], keys),
    ...(key ? [useOfKey(scope, key)] : []),
  ]
}
