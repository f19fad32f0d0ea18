import { randomUUID } from 'node:crypto'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import {
  mintOneTimeToken,
  oneTimeItem,
  readOneTimeItem,
  readOneTimeToken,
  takeOneTimeItem,
} from '#shared/sign-in/one-time-token.ts'
import { table, tableName } from '#shared/table/table.ts'

/** Stores a one-time token that expires after one second. */
async function stored() {
  const { key, text } = mintOneTimeToken(randomUUID(), 'pending')
  const end = clock.now() + 1_000_000
  const Item = oneTimeItem(key, end, { text: 'once' })
  await table().send(new PutCommand({ TableName: tableName(), Item }))
  return { key, text, end }
}

it('can be taken by only one of many concurrent callers', async () => {
  const { key, end } = await stored()
  const results = await Promise.all(Array.from({ length: 20 }, () => takeOneTimeItem(key, end - 1)))
  expect(results.filter((one) => one !== null)).toEqual([expect.objectContaining({ text: 'once' })])
  expect(await takeOneTimeItem(key, end - 1)).toBeNull()
})

it('is valid until its expiry, and cannot be taken afterwards', async () => {
  const { key, end } = await stored()
  expect([await readOneTimeItem(key, end - 1), await readOneTimeItem(key, end)]).toEqual([
    expect.objectContaining({ text: 'once' }),
    null,
  ])
  expect(await takeOneTimeItem(key, end)).toBeNull()
  // Expects that the attempt at the token's expiry has not deleted the item.
  expect(await takeOneTimeItem(key, end - 1)).toMatchObject({ text: 'once' })
})

it('is valid only for its purpose', async () => {
  const { key, text } = await stored()
  expect(readOneTimeToken(text, 'pending')?.key).toEqual(key)
  expect(readOneTimeToken(text, 'code')?.key).not.toEqual(key)
})
