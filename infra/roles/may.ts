import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam'

/** Grants actions on resources; on `*` where the actions know none. */
export const may = (actions: string[], resources: string[] = ['*'], conditions: Record<string, unknown> = {}) =>
  new PolicyStatement({ actions, resources, conditions })

export const mayNot = (actions: string[], resources: string[], conditions: Record<string, unknown> = {}) =>
  new PolicyStatement({ effect: Effect.DENY, actions, resources, conditions })

export const reads = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']
export const writes = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem']
/** Reads and the checks within a transaction. */
export const readsAndChecks = [...reads, 'dynamodb:ConditionCheckItem']
/** Actions that change an existing item; a batch of puts is one of them. */
export const changes = ['dynamodb:UpdateItem', 'dynamodb:BatchWriteItem', 'dynamodb:PartiQLUpdate']
/** Actions that make an item; a put overwrites, too. */
export const puts = ['dynamodb:PutItem', 'dynamodb:PartiQLInsert']
export const deletions = ['dynamodb:DeleteItem', 'dynamodb:PartiQLDelete']
