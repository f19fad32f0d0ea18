import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { insertAll } from '#shared/table/insert-all.ts'
import type { Key } from '#shared/table/keys.ts'
import { walkTable } from '#shared/table/walk-table.ts'
import { countWaiting } from '#test/support/table/count-waiting.ts'
import { engineError } from '#test/support/table/intercept-engine.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'
import { refuseRequests } from '#test/support/table/refuse-requests.ts'
import { failTable } from '#test/support/table/table-faults.ts'

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
const all = Array.from({ length: 7 }, (_, i) => `walk#${i}`)

beforeEach(async () => {
  ownTable = await useOwnTable()
  await insertAll(all.map((pk) => ({ pk, sk: 'item', kind: 'test', odd: Number(pk.at(-1)) % 2 })))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await ownTable.end()
})

/** Options that split the items of the table into three pages, of 3, 3 and 1 items. */
const threePages = { ConsistentRead: true, Limit: 3 }
const throttled = engineError('ThrottlingException')
const names = (items: Key[]) => items.map(({ pk }) => pk)

/** Resumes a walk from a key, like a task that stores the position after each completed page. */
async function walkOn(from: Key | null, hasTime: () => boolean, work: (items: Key[]) => void = () => {}) {
  const walked = { pages: [] as string[][], place: from, isWhole: false }
  for await (const { items, next } of walkTable<Key>({ from, hasTime, ...threePages })) {
    work(items)
    walked.pages.push(names(items))
    walked.place = next
    walked.isWhole = next === null
  }
  return walked
}

it('visits every item once, with a pause between pages and none after the last', async () => {
  const sleep = vi.spyOn(clock, 'sleep')
  const { pages, isWhole } = await walkOn(null, () => true)
  expect(pages.map(({ length }) => length)).toEqual([3, 3, 1])
  expect(pages.flat().sort()).toEqual(all)
  expect(isWhole).toBe(true)
  expect(sleep).toHaveBeenCalledTimes(2)
})

it('stops between pages, and resumes after the last completed one, anywhere', async () => {
  const pages: string[][] = []
  let cursor: Key | null = null
  for (let runs = 1; ; runs++) {
    const walked = await walkOn(cursor && JSON.parse(JSON.stringify(cursor)), () => false)
    expect(walked.pages).toHaveLength(1)
    pages.push(...walked.pages)
    cursor = walked.place
    if (!walked.isWhole) continue
    expect(runs).toBe(3)
    break
  }
  expect(pages.flat().sort()).toEqual(all)
})

it('repeats a page whose work has failed', async () => {
  const first = await walkOn(null, () => false)
  const failing = walkOn(
    first.place,
    () => true,
    () => {
      throw new Error('no')
    },
  )
  await expect(failing).rejects.toThrow('no')
  const remainder = await walkOn(first.place, () => true)
  expect([...first.pages, ...remainder.pages].flat().sort()).toEqual(all)
})

it('waits for a throttled page, and skips nothing of it', async () => {
  countWaiting()
  const scans = refuseRequests(4, throttled, ({ operation }) => operation === 'Scan')
  const { pages } = await walkOn(null, () => true)
  expect(scans.matched).toBe(3 + 4)
  expect(pages.flat().sort()).toEqual(all)
})

it('fails at a page that stays throttled, and resumes there', async () => {
  const first = await walkOn(null, () => false)
  failTable('ThrottlingException', (command) => command instanceof ScanCommand)
  await expect(walkOn(first.place, () => true)).rejects.toMatchObject({ name: 'ThrottlingException' })
  vi.restoreAllMocks()
  const remainder = await walkOn(first.place, () => true)
  expect([...first.pages, ...remainder.pages].flat().sort()).toEqual(all)
})

it('continues over pages without matches, and reads only the requested items', async () => {
  const pages = walkTable({
    from: null,
    hasTime: () => true,
    ...threePages,
    Limit: 1,
    ProjectionExpression: 'pk',
    FilterExpression: 'odd = :one',
    ExpressionAttributeValues: { ':one': 1 },
  })
  const found: object[][] = []
  for await (const { items } of pages) found.push(items)
  expect(found.length).toBeGreaterThanOrEqual(all.length)
  expect(found.flat()).toHaveLength(3)
  for (const item of found.flat()) expect(Object.keys(item)).toEqual(['pk'])
})
