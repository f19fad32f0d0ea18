import { beforeEach, expect, it } from 'vitest'
import { handler as getCheckpoint } from '#functions/api/logs/get-checkpoint.ts'
import { handler as getConsistency } from '#functions/api/logs/get-consistency.ts'
import { handler as getProof } from '#functions/api/logs/get-proof.ts'
import { handler as listLeaves } from '#functions/api/logs/list-leaves.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { commit } from '#shared/commit/commit.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { provesConsistency } from '#shared/seal/merkle-proof.ts'
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

const proof = (log_id: string, query = {}) => get(getProof, { log_id }, query)

beforeEach(async () => {
  account = await newAccount()
  sealWorld()
  await change(3)
})

it('proves for an earlier checkpoint, and that the newer one extends it', async () => {
  await sealNow(account.id)
  const older = await checkpoint()
  await change(2)
  await sealNow(account.id)
  const newer = await checkpoint()
  const [newest, ...rest] = await changes()
  const oldest = rest.at(-1)?.log_id ?? ''
  const { body } = await proof(oldest, { size: String(older.size) })
  expect(body.data).toMatchObject({ leaf_index: 0, size: older.size, root: older.root, note: older.note })
  const sizes = { from: String(older.size), to: String(newer.size) }
  const { data } = (await get(getConsistency, { log: 'changes' }, sizes)).body
  expect(data).toMatchObject({ from: older.size, to: newer.size })
  const [from, to] = [older, newer].map(({ size, root }) => ({ size, root: bytes(root) })) as [never, never]
  expect(provesConsistency(from, to, data.path.map(bytes))).toBe(true)
  const faults: [typeof getProof, Record<string, string>, object, string][] = [
    [getProof, { log_id: oldest }, { size: String(older.size - 1) }, 'size must be that of a checkpoint.'],
    [getProof, { log_id: oldest }, { size: 'x' }, 'size must be a number of leaves.'],
    [
      getProof,
      { log_id: newest?.log_id ?? '' },
      { size: String(older.size) },
      'size must be that of a checkpoint that covers the entry.',
    ],
    [getConsistency, { log: 'changes' }, {}, 'from and to must be sizes of checkpoints.'],
    [getConsistency, { log: 'changes' }, { from: sizes.to, to: sizes.from }, 'from must not be above to.'],
    [getConsistency, { log: 'changes' }, { from: '1', to: sizes.to }, 'from and to must be sizes of checkpoints.'],
    [
      listLeaves,
      { log: 'changes' },
      { from: '0', to: '99999' },
      'from and to must be numbers of sealed leaves, at most 10000 apart.',
    ],
    [
      listLeaves,
      { log: 'changes' },
      { from: '0', to: '1', hour: 'x' },
      'hour and stream must be those of a sealed hour.',
    ],
  ]
  for (const [handler, params, query, detail] of faults) {
    const { status, body } = await get(handler, params, query)
    expect([status, body.code, body.detail]).toEqual([400, 'invalid_log_query', detail])
  }
})
