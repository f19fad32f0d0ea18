import { Stack } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { actors } from '#shared/domain/actors/actor.ts'
import { apiTokens } from '#shared/domain/api-tokens/api-token.ts'
import { dueAccountsPartition } from '#shared/jobs/account-deletion/due-account.ts'
import { limitsMailsPartition } from '#shared/jobs/limits/limits-mail-turn.ts'
import { flowSlicesPartition, openFlowsPartition } from '#shared/logs/flows/flow-index.ts'
import { logPartition, namedPartition } from '#shared/logs/log-keys.ts'
import { commitKey, liveKey, partition } from '#shared/table/keys.ts'
import type { Settings } from './settings.ts'
import type { Storage } from './storage.ts'

/** Stands for an account's id: exactly its length, so that no value further back in a key can pass for the pattern. */
const anyAccount = '?'.repeat(36)

const reads = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']
const writes = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem']

/** What one function or kind of functions may do. */
export type RoleName =
  | 'reader'
  | 'writer'
  | 'ingest'
  | 'provision'
  | 'public'
  | 'expire'
  | 'deleteAccounts'
  | 'compareLimits'
  | Consumer
  | Task
export type Consumer = 'writeChangeLog' | 'followUp' | 'storeFlowLogs'
type Task = 'redrive' | 'verify'

/** Those of the functions that answer HTTP requests. */
const answering: RoleName[] = ['reader', 'writer', 'ingest', 'public']

type Props = { storage: Storage; logGroup: ILogGroup; settings: Settings }

/** The address or its domain, whichever is verified. */
const sendingFrom = (scope: Construct, sender: string) => ({
  actions: ['ses:SendEmail'],
  resources: [sender, sender.slice(sender.indexOf('@') + 1)].map((resourceName) =>
    Stack.of(scope).formatArn({ service: 'ses', resource: 'identity', resourceName }),
  ),
})

/** One role for each duty, with no more rights than that duty has. */
export class Roles extends Construct {
  readonly of: Record<RoleName, Role>

  constructor(scope: Construct, id: string, { storage, logGroup, settings }: Props) {
    super(scope, id)
    const onTable = (actions: string[], partitions?: string[]) =>
      new PolicyStatement({
        actions,
        resources: [storage.table.tableArn],
        ...(partitions && {
          conditions: {
            'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
            // Without this, a request that names no key would satisfy the condition.
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        }),
      })
    const requestLog = onTable(
      ['dynamodb:PartiQLInsert'],
      [logPartition(anyAccount, 'api_request', '*'), namedPartition(anyAccount, 'api_request', 'actor', '*')],
    )
    const secret = new PolicyStatement({
      actions: ['secretsmanager:GetSecretValue'],
      resources: [storage.secret.secretArn],
    })
    const statements: Record<RoleName, PolicyStatement[]> = {
      // A read adds the entry of its request, the last use of its token and what it takes of the rate limit; no row.
      reader: [
        onTable(reads),
        requestLog,
        onTable(
          ['dynamodb:UpdateItem'],
          [...[apiTokens, actors].map(({ name }) => liveKey(anyAccount, name, '').pk), partition(anyAccount, 'rate.*')],
        ),
        secret,
      ],
      writer: [onTable([...reads, ...writes]), requestLog, secret],
      ingest: [
        onTable(['dynamodb:GetItem']),
        onTable(['dynamodb:UpdateItem'], [partition(anyAccount, 'rate.*')]),
        new PolicyStatement({ actions: ['kinesis:PutRecords'], resources: [storage.flows.streamArn] }),
        secret,
      ],
      provision: [onTable([...reads, ...writes]), secret],
      public: [],
      writeChangeLog: [
        onTable(
          ['dynamodb:PartiQLInsert'],
          [
            logPartition(anyAccount, 'change', '*'),
            ...(['actor', 'email'] as const).map((field) => namedPartition(anyAccount, 'change', field, '*')),
          ],
        ),
      ],
      // It deletes what lies below a deleted object, whatever that is.
      followUp: [onTable([...reads, ...writes])],
      expire: [onTable([...reads, ...writes])],
      // It looks at all items for those of an account; it makes none but the notes of its own progress.
      deleteAccounts: [
        onTable([...reads, 'dynamodb:Scan', 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem']),
        onTable(['dynamodb:PutItem', 'dynamodb:UpdateItem'], [dueAccountsPartition]),
      ],
      compareLimits: [onTable(reads), onTable(['dynamodb:PutItem'], [limitsMailsPartition(anyAccount)])],
      storeFlowLogs: [
        onTable(
          ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
          [logPartition(anyAccount, 'flow', '*'), partition(anyAccount, 'log.flow.*')],
        ),
        onTable(['dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate'], [logPartition(anyAccount, 'flow', '*')]),
        // Open flows are gathered after a while; what pointed to them is deleted when they close.
        onTable(['dynamodb:Query'], [logPartition(anyAccount, 'flow', '*'), flowSlicesPartition(anyAccount)]),
        onTable(['dynamodb:DeleteItem'], [openFlowsPartition(anyAccount), flowSlicesPartition(anyAccount)]),
      ],
      // What it may invoke is added with the consumers. It has no right on the table: the consumers write.
      redrive: [
        new PolicyStatement({ actions: ['s3:ListBucket'], resources: [storage.failures.bucketArn] }),
        new PolicyStatement({
          actions: ['s3:GetObject', 's3:DeleteObject'],
          resources: [storage.failures.arnForObjects('aws/lambda/*')],
        }),
      ],
      verify: [onTable(['dynamodb:Query'], [commitKey(anyAccount, 0).pk, logPartition(anyAccount, 'change', '*')])],
    }
    const role = ([duty, rights]: [string, PolicyStatement[]]): [string, Role] => {
      const made = new Role(this, duty.charAt(0).toUpperCase() + duty.slice(1), {
        assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      })
      for (const statement of rights) made.addToPolicy(statement)
      logGroup.grantWrite(made)
      return [duty, made]
    }
    if (settings.mailSender) {
      statements.compareLimits.push(new PolicyStatement(sendingFrom(this, settings.mailSender)))
    }
    if (settings.cdnSecretArn) {
      const reading = { actions: ['secretsmanager:GetSecretValue'], resources: [settings.cdnSecretArn] }
      for (const duty of answering) statements[duty].push(new PolicyStatement(reading))
    }
    this.of = Object.fromEntries(Object.entries(statements).map(role)) as Record<RoleName, Role>
  }
}
