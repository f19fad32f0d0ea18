import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { clock, jitter } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { logLine } from '../core/logging/log.ts'
import { isLostRace } from '../core/passing-error.ts'
import { changing, retryUntil, workTime } from '../core/work/work.ts'
import type { Item, Key } from './keys.ts'
import { table, tableName } from './table.ts'

export type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

export const put = (Item: Item): Write => ({ Put: { TableName: tableName(), Item } })

export const remove = ({ pk, sk }: Key): Write => ({ Delete: { TableName: tableName(), Key: { pk, sk } } })

const comparing = (expected: Record<string, unknown>, above: Record<string, number> = {}) => {
  const equal = Object.entries(expected)
  const greater = Object.entries(above)
  const all = [...equal, ...greater]
  return {
    ConditionExpression: [
      'attribute_exists(pk)',
      ...all.map((_, i) => `#c${i} ${i < equal.length ? '=' : '>'} :c${i}`),
    ].join(' AND '),
    ...(all.length > 0 && {
      ExpressionAttributeNames: Object.fromEntries(all.map(([name], i) => [`#c${i}`, name])),
      ExpressionAttributeValues: Object.fromEntries(all.map(([, value], i) => [`:c${i}`, value])),
    }),
  }
}

/** Removes an item, only while it has these values. */
export const removeWhile = ({ pk, sk }: Key, expected: Record<string, unknown>): Write => ({
  Delete: { TableName: tableName(), Key: { pk, sk }, ...comparing(expected) },
})

/** Only while the item at this key exists, has the expected values, and its numbers lie above those given. */
export const check = (
  { pk, sk }: Key,
  expected: Record<string, unknown> = {},
  above: Record<string, number> = {},
): Write => ({ ConditionCheck: { TableName: tableName(), Key: { pk, sk }, ...comparing(expected, above) } })

/** Puts an item in the place of one with these values; null means of none. */
export const putIf = (Item: Item, expected: Record<string, unknown> | null): Write => ({
  Put: {
    TableName: tableName(),
    Item,
    ...(expected === null ? { ConditionExpression: 'attribute_not_exists(pk)' } : comparing(expected)),
  },
})

const sent = (writes: Write[]): Promise<unknown> => table().send(new TransactWriteCommand({ TransactItems: writes }))

async function outcomeOf(transaction: Promise<unknown>): Promise<'done' | 'lost'> {
  try {
    await transaction
    return 'done'
  } catch (error) {
    if (error instanceof TransactionCanceledException && isLostRace(error)) return 'lost'
    throw error
  }
}

/** A transaction of items that do not count until they are confirmed: nothing is changed by it that a caller could hear of. */
export const prepareTogether = (writes: Write[]): Promise<'done' | 'lost'> => outcomeOf(sent(writes))

/** Small transaction beside the commits, of unlogged items (design 6). `lost` when a checked row has changed. */
export const writeTogether = (writes: Write[]): Promise<'done' | 'lost'> => outcomeOf(changing(sent(writes)))

/** Repeats an attempt until it is not lost. @throws ApiError `unavailable` when patience ends; nothing is changed then. */
export async function untilDone<T>(attempt: () => Promise<T | 'lost'>): Promise<T> {
  const deadline = retryUntil(workTime.retries())
  let tries = 0
  for (; tries === 0 || clock.monotonic() < deadline; tries++) {
    if (tries > 0) await clock.sleep(jitter(tries, 8, 250))
    const result = await attempt()
    if (result !== 'lost') return result
  }
  logLine('WARN', 'transaction_given_up', { tries })
  throw new ApiError('unavailable')
}
