import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { commit } from '#shared/commit/commit.ts'
import { readCommitRecord, rowDigest, rowName } from '#shared/commit/commit-record.ts'
import type { Transaction } from '#shared/commit/transaction.ts'
import { ApiError } from '#shared/core/errors.ts'
import { groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { readAccountVersion } from '#shared/table/account-version.ts'
import { commitKey, partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'

const name = fc.nat(7).map((n) => `Site ${n}`)
const change = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), name }),
  fc.record({ kind: fc.constant('rename' as const), site: fc.nat(), name }),
  fc.record({ kind: fc.constant('delete' as const), site: fc.nat() }),
  // Reads a site and writes a different row, so that only the read depends on other changes.
  fc.record({ kind: fc.constant('refer' as const), site: fc.nat() }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

const isOwn = ({ managed_by }: Record<string, unknown>) => managed_by === 'account'
const storedSites = async (account: string) => (await queryItems(partition(account, sites.name))).filter(isOwn)
const records = async (account: string) => (await queryItems(commitKey(account, 0).pk)).map(readCommitRecord)

async function stage(transaction: Transaction, id: string, wanted: Change): Promise<void> {
  if ('name' in wanted && (await transaction.isTaken('sites.name', wanted.name))) throw new ApiError('unavailable')
  if (wanted.kind === 'create') {
    transaction.insert(sites, { name: wanted.name, managed_by: 'account' })
    return
  }
  const site = await transaction.existing(sites, id)
  if (wanted.kind === 'rename') transaction.update(sites, site, { name: wanted.name })
  else if (wanted.kind === 'delete') transaction.delete(sites, site)
  else transaction.insert(groups, { ...nativeGroup, name: `${id} ${randomUUID()}` })
}

/** Replays the commits one after the other. Expects that each is based on the state after the previous one, and breaks no rule. */
function replay(commits: Awaited<ReturnType<typeof records>>) {
  const state = new Map<string, Record<string, unknown>>()
  for (const { changes } of commits) {
    for (const { object, before, after } of changes) {
      const [site = ''] = String(after?.name).split(' ')
      if (object === 'groups' && site !== 'Everyone') expect([...state.keys()]).toContain(site)
      if (object !== 'sites') continue
      const id = String((before ?? after)?.id)
      expect(state.get(id) ?? null).toEqual(before)
      if (after) state.set(id, after)
      else state.delete(id)
    }
    const names = [...state.values()].filter(isOwn).map((site) => site.name)
    expect(new Set(names).size).toBe(names.length)
  }
  return [...state.values()].filter(isOwn)
}

async function expectSerial(rounds: Change[][]): Promise<void> {
  const { id: accountId } = await newAccount()
  for (const round of rounds) {
    const ids = (await storedSites(accountId)).map(({ sk }) => sk)
    await Promise.allSettled(
      round.map((wanted) => {
        const id = ('site' in wanted && ids[wanted.site % ids.length]) || randomUUID()
        return commit({ accountId, subject: null }, (transaction) => stage(transaction, id, wanted))
      }),
    )
  }
  const commits = await records(accountId)
  expect(commits.map(({ sequence }) => sequence)).toEqual(commits.map((_, i) => i + 1))
  const stored = await storedSites(accountId)
  const replayed = new Map(replay(commits).map((site) => [site.id, site.name]))
  expect(new Map(stored.map((site) => [site.id, site.name]))).toEqual(replayed)
  const { length } = await queryItems(partition(accountId, sites.name))
  expect((await readAccountVersion(accountId)).counts.sites).toBe(length)
  for (const item of stored) {
    const { commit_id = '', rows = {} } = commits[Number(item.commit) - 1] ?? {}
    expect(rows[rowName(item)]).toBe(rowDigest(commit_id, item))
  }
}

it('gives concurrent changes the same results as one after the other', async () => {
  const rounds = fc.array(fc.array(change, { minLength: 6, maxLength: 16 }), { minLength: 2, maxLength: 4 })
  await fc.assert(fc.asyncProperty(rounds, expectSerial), { numRuns: 15 })
})
