import { randomUUID } from 'node:crypto'
import { BatchExecuteStatementCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, expect, it, vi } from 'vitest'
import { insertAll } from '#shared/table/insert-all.ts'
import type { Item } from '#shared/table/keys.ts'
import { getItem, queryItems } from '#shared/table/read.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const itemsOf = (count: number, fields: object = {}): Item[] => {
  const pk = `test#${randomUUID()}`
  return Array.from({ length: count }, (_, i) => ({ pk, sk: String(i).padStart(4, '0'), kind: 'test', ...fields }))
}
const stored = (items: Item[]) => queryItems(items[0]?.pk ?? '')

/** Makes some statements of the first `times` batch requests fail with the error `Code`. Returns a function that counts the requests. */
function refuse(Code: string, times: number, isRefused = (at: number) => at % 2 === 0): () => number {
  let requests = 0
  interceptTable(async (command, send) => {
    if (!(command instanceof BatchExecuteStatementCommand) || ++requests > times) return send(command)
    const all = command.input.Statements ?? []
    const kept = all.filter((_, i) => !isRefused(i))
    const { Responses = [] } = kept.length
      ? await send(new BatchExecuteStatementCommand({ Statements: kept }))
      : { Responses: [] }
    return { Responses: all.map((_, i) => (isRefused(i) ? { Error: { Code, Message: Code } } : Responses.shift())) }
  })
  return () => requests
}

it('stores 25 items per request, each as one write, including nested values', async () => {
  const items = itemsOf(60, { before: null, after: { list: [1, 'x', { y: true }] }, bytes: Buffer.from('zstd') })
  expect(await measure(() => insertAll(items))).toMatchObject({ requests: 3, writes: 60 })
  expect(await stored(items)).toEqual(items.map((item) => ({ ...item, bytes: new Uint8Array(Buffer.from('zstd')) })))
})

it('omits undefined values, as the table does', async () => {
  const [item] = itemsOf(1, { absent: undefined, present: 1 }) as [Item]
  await insertAll([item])
  expect(await getItem({ pk: item.pk, sk: item.sk })).toEqual({ pk: item.pk, sk: item.sk, kind: 'test', present: 1 })
})

it('never overwrites an existing item, and stores the others', async () => {
  const items = itemsOf(3, { says: 'first' })
  await insertAll(items.slice(0, 2))
  await insertAll(items.map((item) => ({ ...item, says: 'second' })))
  expect((await stored(items)).map(({ says }) => says)).toEqual(['first', 'first', 'second'])
})

it('splits requests by the size of their items', async () => {
  const items = itemsOf(8, { text: 'x'.repeat(300_000) })
  expect((await measure(() => insertAll(items))).requests).toBe(3)
  expect(await stored(items)).toHaveLength(8)
})

it.each(['ThrottlingError', 'ProvisionedThroughputExceeded', 'InternalServerError', 'TransactionConflict'])(
  'retries only statements refused with %s',
  async (code) => {
    const requests = refuse(code, 3)
    const items = itemsOf(25)
    await insertAll(items)
    expect(requests()).toBe(4)
    expect(await stored(items)).toEqual(items)
  },
)

it('gives up after a while with the cause', async () => {
  const requests = refuse('ThrottlingError', Number.POSITIVE_INFINITY)
  await expect(insertAll(itemsOf(2))).rejects.toMatchObject({ name: 'ThrottlingError' })
  expect(requests()).toBe(8)
})

it.each(['AccessDenied', 'ValidationError', 'ResourceNotFound'])(
  'fails at once with %s, which is not retryable',
  async (code) => {
    const requests = refuse(code, 1)
    await expect(insertAll(itemsOf(4))).rejects.toMatchObject({ name: code })
    expect(requests()).toBe(1)
  },
)
