import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler as listLeaves } from '#functions/api/logs/list-leaves.ts'
import { clock } from '#shared/core/clock.ts'
import { canonicalJson } from '#shared/seal/log/canonical-json.ts'
import { hourText } from '#shared/seal/log/sealed-log.ts'
import { leafHash } from '#shared/seal/merkle/merkle-proof.ts'
import { hourKey } from '#shared/seal/sealing/table-tiles.ts'
import { type Key, sealKey } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { bytes, newSealedAccount } from '#test/support/seal/sealed-account.ts'
import { advanceMinutes, sealNow } from '#test/support/seal/sealing.ts'

it('returns the leaf hashes in order, at most 10,000 per response', async () => {
  const { account, get, changes, checkpoint } = await newSealedAccount()
  await sealNow(account.id)
  const { size } = await checkpoint()
  const { hashes } = (await get(listLeaves, { log: 'changes' }, { from: '0', to: String(size) })).body.data
  const all = (await changes()).reverse()
  for (const [i, { log_id }] of all.entries()) {
    const { data } = (await get(getLog, { log_id })).body
    expect(bytes(hashes).subarray(i * 32, i * 32 + 32)).toEqual(leafHash(canonicalJson(data)))
  }
  const one = (await get(listLeaves, { log: 'changes' }, { from: '1', to: '2' })).body.data
  expect(bytes(one.hashes)).toEqual(bytes(hashes).subarray(32, 64))
  expect((await get(listLeaves, { log: 'changes' }, { from: '2', to: '2' })).body.data.hashes).toBe('')
})

it('returns at most 10,000 per response', async () => {
  const { account, get } = await newSealedAccount()
  await sealNow(account.id)
  const state = await getItem<Record<string, unknown> & Key>(sealKey(account.id, 'changes'))
  await table().send(new PutCommand({ TableName: tableName(), Item: { ...state, size: 20_000 } }))
  const statusOf = async (from: number, to: number) =>
    (await get(listLeaves, { log: 'changes' }, { from: String(from), to: String(to) })).status
  expect([await statusOf(0, 10_000), await statusOf(0, 10_001), await statusOf(9_999, 20_000)]).toEqual([200, 400, 400])
})

it('returns the leaves of a sealed hour of the activity log', async () => {
  const { account, get } = await newSealedAccount()
  await get(listLeaves, { log: 'activity' }, { from: '0', to: '0' })
  const hour = hourText(clock.now())
  const ask = async (log: string) =>
    (await get(listLeaves, { log }, { from: '0', to: '1', hour, stream: 'api_request' })).status
  // Item of an hour whose run ended before it had sealed all entries.
  const Item = { ...hourKey(account.id, 'api_request', hour), kind: 'seal_hour', size: 1 }
  await table().send(new PutCommand({ TableName: tableName(), Item }))
  expect(await ask('activity')).toBe(400)
  advanceMinutes(80)
  await table().send(new PutCommand({ TableName: tableName(), Item: { ...Item, size: 0 } }))
  await sealNow(account.id, 'activity')
  expect([await ask('activity'), await ask('changes')]).toEqual([200, 400])
})
