import { beforeEach, expect, it } from 'vitest'
import { handler as getCheckpoint } from '#functions/api/logs/get-checkpoint.ts'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler as listLeaves } from '#functions/api/logs/list-leaves.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { commit } from '#shared/commit/commit.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { canonicalJson } from '#shared/seal/canonical-json.ts'
import { leafHash } from '#shared/seal/merkle-hash.ts'
import { type Account, newAccount } from '#test/support/account.ts'
import { writeChangeLogOf } from '#test/support/commit-stream.ts'
import { sealNow, sealWorld } from '#test/support/sealing.ts'

let account: Account
const bytes = (text: string) => Buffer.from(text, 'base64')
const get = async (handler: Parameters<Account['call']>[0], params: Record<string, string>, query = {}) =>
  account.call(handler, { method: 'GET', params, query })
const insert = (count: number) =>
  commit({ accountId: account.id, subject: null }, async (transaction) => {
    for (let i = 0; i < count; i++) transaction.insert(sites, { name: `site ${i}`, managed_by: 'account' })
  })
const change = async (count: number) => {
  await insert(count)
  await writeChangeLogOf(account.id)
}

const checkpoint = async (log = 'changes') => (await get(getCheckpoint, { log })).body.data

const changes = async () => (await get(listLogs, {}, { type: 'change' })).body.data as { log_id: string }[]

beforeEach(async () => {
  account = await newAccount()
  sealWorld()
  await change(3)
})

it('answers the hashes of the leaves in their order, at most 10,000 at once', async () => {
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
