import { randomUUID } from 'node:crypto'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import {
  lookAtOneTime,
  mintOneTimeToken,
  oneTimeItem,
  readOneTimeToken,
  takeOneTime,
} from '#shared/sign-in/one-time-token.ts'
import { table, tableName } from '#shared/table/table.ts'

/** A token of a sign-in that is at the provider, and until when it counts. */
async function stored() {
  const { key, text } = mintOneTimeToken(randomUUID(), 'pending')
  const end = clock.now() + 1_000_000
  const Item = oneTimeItem(key, end, { said: 'once' })
  await table().send(new PutCommand({ TableName: tableName(), Item }))
  return { key, text, end }
}

it('is taken by one of many at once, and by nobody afterwards', async () => {
  const { key, end } = await stored()
  const taken = await Promise.all(Array.from({ length: 20 }, () => takeOneTime(key, end - 1)))
  expect(taken.filter((one) => one !== null)).toEqual([expect.objectContaining({ said: 'once' })])
  expect(await takeOneTime(key, end - 1)).toBeNull()
})

it('counts until its end, and stays untaken from then on', async () => {
  const { key, end } = await stored()
  expect([await lookAtOneTime(key, end - 1), await lookAtOneTime(key, end)]).toEqual([
    expect.objectContaining({ said: 'once' }),
    null,
  ])
  expect(await takeOneTime(key, end)).toBeNull()
  // Who comes in time still finds it: nothing was taken by who came late.
  expect(await takeOneTime(key, end - 1)).toMatchObject({ said: 'once' })
})

it('is one for its purpose alone', async () => {
  const { key, text } = await stored()
  expect(readOneTimeToken(text, 'pending')?.key).toEqual(key)
  expect(readOneTimeToken(text, 'code')?.key).not.toEqual(key)
})
