import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { partition } from '#shared/table/keys.ts'
import type { Storage } from '../storage/storage.ts'
import { anyAccount } from './partitions.ts'

export const reads = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']
export const writes = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem']
/** A check within a transaction reads. */
export const checks = ['dynamodb:ConditionCheckItem']
/** What changes an item that is there; a batch of puts is one of them. */
export const changes = ['dynamodb:UpdateItem', 'dynamodb:BatchWriteItem', 'dynamodb:PartiQLUpdate']
/** What makes an item; a put overwrites, too. */
export const puts = ['dynamodb:PutItem', 'dynamodb:PartiQLInsert']
export const deletions = ['dynamodb:DeleteItem', 'dynamodb:PartiQLDelete']

/** On all partitions, or on those that match one of the patterns. */
export type OnTable = (actions: string[], partitions?: string[]) => PolicyStatement

export const rightsOnTable =
  ({ table }: Storage): OnTable =>
  (actions, partitions) =>
    new PolicyStatement({
      actions,
      resources: [table.tableArn],
      ...(partitions && {
        conditions: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
          // Without this, a request that names no key would satisfy the condition.
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      }),
    })

/** What is written by key alone: where it lies is for what keeps the trail to say. */
const everything = [partition(anyAccount, '*'), 'service#*']

/** Of whoever changes rows, whichever they are. */
export const changing = (onTable: OnTable): PolicyStatement[] => [
  onTable([...reads, ...checks]),
  onTable(writes, everything),
]
