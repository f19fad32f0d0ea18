import { beforeEach, expect, it } from 'vitest'
import { handler as getCheckpoint } from '#functions/api/logs/get-checkpoint.ts'
import { handler as getConsistency } from '#functions/api/logs/get-consistency.ts'
import { handler as getProof } from '#functions/api/logs/get-proof.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler as sealPub } from '#functions/public/seal-pub.ts'
import { commit } from '#shared/commit/commit.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { emptyRoot } from '#shared/seal/merkle-hash.ts'
import { type Account, call, newAccount } from '#test/support/account.ts'
import { writeChangeLogOf } from '#test/support/commit-stream.ts'
import { sealNow, sealWorld } from '#test/support/sealing.ts'

let account: Account
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
const changes = async () => (await get(listLogs, {}, { type: 'change' })).body.data as { log_id: string }[]

const checkpoint = async (log = 'changes') => (await get(getCheckpoint, { log })).body.data

const proof = (log_id: string, query = {}) => get(getProof, { log_id }, query)

beforeEach(async () => {
  account = await newAccount()
  sealWorld()
  await change(3)
})

it('answers the empty tree before the first seal, and asks to come again', async () => {
  expect(await checkpoint()).toEqual({
    log: 'changes',
    origin: `access.example.com/${account.id}/changes`,
    size: 0,
    root: emptyRoot().toString('base64'),
    signed_at: null,
    note: null,
    verifier_key: (await call(sealPub, { method: 'GET', path: '/seal.pub' })).text.trim(),
  })
  const [newest] = await changes()
  const { status, body, headers } = await proof(newest?.log_id ?? '')
  expect([status, body.code]).toEqual([409, 'not_sealed_yet'])
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
})

it('knows two logs, no proof of a flow, and nothing of another account', async () => {
  await sealNow(account.id)
  const [newest] = await changes()
  const other = await newAccount()
  const log_id = newest?.log_id ?? ''
  for (const [handler, params] of [
    [getCheckpoint, { log: 'flows' }],
    [getConsistency, { log: 'change' }],
    [getProof, { log_id: `f${log_id.slice(1)}` }],
    [getProof, { log_id: `${log_id.slice(0, -1)}f` }],
  ] as const) {
    expect((await get(handler, params)).status).toBe(404)
  }
  expect((await other.call(getProof, { method: 'GET', params: { log_id } })).status).toBe(404)
  expect((await get(getProof, { log_id: account.id })).status).toBe(400)
})
