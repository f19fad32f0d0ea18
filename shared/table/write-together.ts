import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { clock, jitter } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { logLine } from '../core/logging/log.ts'
import { isConflict } from '../core/transient-error.ts'
import { noteWrite, retryUntil, workTime } from '../core/work/work.ts'
import type { Item, Key } from './keys.ts'
import { table, tableName } from './table.ts'

export type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

export const put = (Item: Item): Write => ({ Put: { TableName: tableName(), Item } })

export const remove = ({ pk, sk }: Key): Write => ({ Delete: { TableName: tableName(), Key: { pk, sk } } })

const conditionFields = (expected: Record<string, unknown>, lowerBounds: Record<string, number> = {}) => {
  const equal = Object.entries(expected)
  const greater = Object.entries(lowerBounds)
  const comparisons = [...equal, ...greater]
  return {
    ConditionExpression: [
      'attribute_exists(pk)',
      ...comparisons.map((_, i) => `#c${i} ${i < equal.length ? '=' : '>'} :c${i}`),
    ].join(' AND '),
    ...(comparisons.length > 0 && {
      ExpressionAttributeNames: Object.fromEntries(comparisons.map(([name], i) => [`#c${i}`, name])),
      ExpressionAttributeValues: Object.fromEntries(comparisons.map(([, value], i) => [`:c${i}`, value])),
    }),
  }
}

export const removeWhile = ({ pk, sk }: Key, expected: Record<string, unknown>): Write => ({
  Delete: { TableName: tableName(), Key: { pk, sk }, ...conditionFields(expected) },
})

/** Condition check: the item exists, has the expected values, and exceeds the numbers in `lowerBounds`. */
export const check = (
  { pk, sk }: Key,
  expected: Record<string, unknown> = {},
  lowerBounds: Record<string, number> = {},
): Write => ({ ConditionCheck: { TableName: tableName(), Key: { pk, sk }, ...conditionFields(expected, lowerBounds) } })

/** Puts an item if the existing item has the expected values. Null requires that no item exists. */
export const putIf = (Item: Item, expected: Record<string, unknown> | null): Write => ({
  Put: {
    TableName: tableName(),
    Item,
    ...(expected === null ? { ConditionExpression: 'attribute_not_exists(pk)' } : conditionFields(expected)),
  },
})

const send = (writes: Write[]): Promise<unknown> => table().send(new TransactWriteCommand({ TransactItems: writes }))

async function outcomeOf(transaction: Promise<unknown>): Promise<'done' | 'conflict'> {
  try {
    await transaction
    return 'done'
  } catch (error) {
    if (error instanceof TransactionCanceledException && isConflict(error)) return 'conflict'
    throw error
  }
}

/** Writes items that take effect only after a confirmation, so that a failed request can still report that nothing was changed. */
export const prepareTogether = (writes: Write[]): Promise<'done' | 'conflict'> => outcomeOf(send(writes))

/** Writes unlogged items outside commits, in one transaction. Returns `conflict` if a condition was not met. */
export const writeTogether = (writes: Write[]): Promise<'done' | 'conflict'> => outcomeOf(noteWrite(send(writes)))

/**
 * Retries an attempt while it returns `conflict`.
 * @throws ApiError `unavailable` if the time for retries runs out, in which case nothing is changed
 */
export async function untilDone<T>(attempt: () => Promise<T | 'conflict'>): Promise<T> {
  const deadline = retryUntil(workTime.retries())
  let tries = 0
  for (; tries === 0 || clock.monotonic() < deadline; tries++) {
    if (tries > 0) await clock.sleep(jitter(tries, 8, 250))
    const result = await attempt()
    if (result !== 'conflict') return result
  }
  logLine('WARN', 'transaction_given_up', { tries })
  throw new ApiError('unavailable')
}
