import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam'

/** Builds a statement that allows actions on resources. The default resource is `*`, for actions without resource-level permissions. */
export const may = (actions: string[], resources: string[] = ['*'], conditions: Record<string, unknown> = {}) =>
  new PolicyStatement({ actions, resources, conditions })

export const mayNot = (actions: string[], resources: string[], conditions: Record<string, unknown> = {}) =>
  new PolicyStatement({ effect: Effect.DENY, actions, resources, conditions })

export const reads = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']
export const writes = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem']
export const readsAndChecks = [...reads, 'dynamodb:ConditionCheckItem']
/** Actions that change an existing item. A batch of puts can overwrite items. */
export const changes = ['dynamodb:UpdateItem', 'dynamodb:BatchWriteItem', 'dynamodb:PartiQLUpdate']
/** Actions that create an item. A put can also overwrite an existing item. */
export const puts = ['dynamodb:PutItem', 'dynamodb:PartiQLInsert']
export const deletions = ['dynamodb:DeleteItem', 'dynamodb:PartiQLDelete']
