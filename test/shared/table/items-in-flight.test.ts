import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inWorkTime } from '#shared/core/work/work.ts'
import type { Key } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { check, put, writeTogether } from '#shared/table/write-together.ts'
import { ItemsInFlight } from '#test/support/table/items-in-flight.ts'

let flight: ItemsInFlight
beforeEach(() => {
  flight = new ItemsInFlight(1)
})
afterEach(() => flight.end())

const newKey = (): Key => ({ pk: `flight#${crypto.randomUUID()}`, sk: 'item' })
const item = (key = newKey()) => ({ ...key, kind: 'test' })
const putPlain = (Item: object) => table().send(new PutCommand({ TableName: tableName(), Item }))
const count = (Key: Key) =>
  table().send(
    new UpdateCommand({
      TableName: tableName(),
      Key,
      UpdateExpression: 'ADD met :one',
      ExpressionAttributeValues: { ':one': 1 },
    }),
  )

async function once(...work: (() => Promise<unknown>)[]): Promise<string[]> {
  const outcome = (one: () => Promise<unknown>) => () =>
    inWorkTime(-1, () =>
      one().then(
        (result) => (result === 'conflict' ? 'conflict' : 'done'),
        ({ name }: Error) => name,
      ),
    )
  return (await flight.run(work.map(outcome))).map(({ result }) => result)
}

describe('two concurrent writes of an item', () => {
  it('cancel the second transaction, even if both only check it', async () => {
    const shared = item()
    await flight.run([() => putPlain(shared)])
    const [first, other] = [item(), item()]
    expect(
      await once(
        () => writeTogether([put(first), check(shared)]),
        () => writeTogether([put(other), check(shared)]),
      ),
    ).toEqual(['done', 'conflict'])
    const [read] = await flight.run([() => getItem({ pk: other.pk, sk: other.sk })])
    expect(read).toMatchObject({ result: undefined })
  })

  it('refuse a plain write during a transaction, and cancel a transaction during a plain write', async () => {
    const shared = item()
    expect(
      await once(
        () => writeTogether([put(shared), put(item())]),
        () => putPlain(shared),
      ),
    ).toEqual(['done', 'TransactionConflictException'])
    expect(
      await once(
        () => putPlain(shared),
        () => writeTogether([put(shared)]),
      ),
    ).toEqual(['done', 'conflict'])
  })

  it('do not conflict if both are plain, and never with a read', async () => {
    const shared = item()
    expect(
      await once(
        () => putPlain(shared),
        () => putPlain(shared),
        () => getItem({ pk: shared.pk, sk: shared.sk }),
      ),
    ).toEqual(['done', 'done', 'done'])
    expect(
      await once(
        () => writeTogether([put(shared)]),
        () => getItem({ pk: shared.pk, sk: shared.sk }),
      ),
    ).toEqual(['done', 'done'])
  })
})

it('conflicting writes are retried until they succeed: 40 transactions and 40 plain writes of one item', async () => {
  const key = newKey()
  const adding = {
    Update: {
      TableName: tableName(),
      Key: key,
      UpdateExpression: 'ADD met :one',
      ExpressionAttributeValues: { ':one': 1 },
    },
  }
  const together = Array.from({ length: 40 }, () => () => writeTogether([adding, put(item())]))
  const plain = Array.from({ length: 40 }, () => () => count(key))
  const outcomes = await flight.run<unknown>([...together, ...plain])
  expect(outcomes.slice(0, 40).map(({ result }) => result)).toEqual(together.map(() => 'done'))
  expect(flight.conflicts).toBeGreaterThan(40)
  const [read] = await flight.run([() => getItem(key)])
  expect(read?.result).toMatchObject({ met: 80 })
})
