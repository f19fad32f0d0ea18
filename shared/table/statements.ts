import type { BatchStatementError } from '@aws-sdk/client-dynamodb'
import { BatchExecuteStatementCommand, ExecuteTransactionCommand } from '@aws-sdk/lib-dynamodb'
import { clock, jitter } from '../core/clock.ts'
import { env } from '../core/env.ts'
import { mayBeDone } from '../core/transient-error.ts'
import type { Item } from './keys.ts'
import { table, tableName } from './table.ts'

/** Maximum number of statements that DynamoDB accepts in one request. */
export const maxStatements = 25

/** Conditional write of one item in PartiQL. Each statement of a request succeeds or fails separately. */
export type Statement = { Statement: string; Parameters: unknown[] }

/** Creates a statement that inserts an item, unless the key already exists. */
export function insertion(item: Record<string, unknown>): Statement {
  const fields = Object.entries(item).filter(([, value]) => value !== undefined)
  const values = fields.map(([name]) => `'${name}': ?`).join(', ')
  return { Statement: `INSERT INTO "${tableName()}" VALUE {${values}}`, Parameters: fields.map(([, value]) => value) }
}

export type StatementOutcome = 'done' | 'unmet' | BatchStatementError

const unmetCodes = new Set(['DuplicateItem', 'ConditionalCheckFailed'])

/**
 * Executes the statements as one transaction, so that the engine of a single machine syncs the disk once. Returns false if nothing was
 * written, because a condition failed, or if batches are not transactions. The caller then sends the statements one by one.
 * @throws the error of a request that may have succeeded
 */
async function tryAsTransaction(statements: Statement[]): Promise<boolean> {
  if (!env.batchesAsTransactions || statements.length < 2) return false
  const transaction = new ExecuteTransactionCommand({ TransactStatements: statements })
  return table()
    .send(transaction)
    .then(
      () => true,
      (error: unknown) => {
        if (mayBeDone(error)) throw error
        return false
      },
    )
}

/** Sends up to 25 statements for different items in one request. @throws Error when the whole request fails */
export async function executeTogether(statements: Statement[]): Promise<StatementOutcome[]> {
  if (statements.length === 0) return []
  if (await tryAsTransaction(statements)) return statements.map(() => 'done')
  const { Responses = [] } = await table().send(new BatchExecuteStatementCommand({ Statements: statements }))
  return statements.map((_, i) => {
    const response = Responses[i]
    if (!response) return {}
    if (!response.Error) return 'done'
    return unmetCodes.has(response.Error.Code ?? '') ? 'unmet' : response.Error
  })
}

const maxTries = 8

/** Error codes that every retry would repeat. */
const finalErrors = ['AccessDenied', 'ResourceNotFound', 'ValidationError']

/**
 * Executes up to 25 statements and retries failed ones. An unmet condition is not retried.
 * @throws Error when a statement keeps failing
 */
export async function executeAll(statements: Statement[]): Promise<void> {
  let remaining = statements
  for (let tries = 1; remaining.length > 0; tries++) {
    const outcomes = await executeTogether(remaining)
    const errors = outcomes.filter((outcome): outcome is BatchStatementError => typeof outcome === 'object')
    const cause =
      errors.find(({ Code = '' }) => finalErrors.includes(Code)) ?? (tries === maxTries ? errors[0] : undefined)
    if (cause) throw Object.assign(new Error(cause.Message), { name: cause.Code })
    remaining = remaining.filter((_, i) => typeof outcomes[i] === 'object')
    if (remaining.length > 0) await clock.sleep(jitter(tries, 20, 500))
  }
}

/**
 * Inserts up to 25 items, and keeps items that already exist. Uses PartiQL, because it is the only write that IAM can allow without the
 * permission to overwrite (docs/decisions/0012). Idempotent.
 * @throws Error when an item was not stored
 */
export const insertTogether = (items: Item[]): Promise<void> => executeAll(items.map(insertion))
