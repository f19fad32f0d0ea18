import { afterEach, expect, it, vi } from 'vitest'
import { handler as expire } from '#functions/schedules/expire.ts'
import { clock } from '#shared/core/clock.ts'
import { readPending } from '#shared/domain/member-sets/pending-change.ts'
import { poolMembers } from '#shared/domain/pool-members/pool-member.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { devices, newClients, poolsOf } from '#test/support/accounts/pools.ts'
import { commitsOf, followUpAll } from '#test/support/logs/commit-stream.ts'
import { crashAfter } from '#test/support/table/table-faults.ts'

const now = clock.now.bind(clock)
const secondsAgo = (seconds: number) => vi.spyOn(clock, 'now').mockImplementation(() => now() - seconds * 1_000_000)

afterEach(() => vi.restoreAllMocks())

it('a change whose request has died goes on after two minutes, with the subject of the request (A15.6)', async () => {
  secondsAgo(125)
  const account = await newAccount()
  const pools = poolsOf(account)
  const ids = await newClients(account, 120)
  const pool = await pools.newPool(ids.slice(0, 20))
  const members = async () => (await queryItems(partition(account.id, poolMembers.name, pool))).map(({ sk }) => sk)
  const pending = () => readPending(account.id, poolMembers.name, pool)

  for (let writes = 2; (await pending()).length === 0; writes++) {
    crashAfter(writes)
    expect((await pools.put(pool, devices(...ids.slice(10)))).status).toBe(503)
    vi.restoreAllMocks()
    secondsAgo(125)
  }
  const left = await members()
  expect(left).not.toEqual(ids.slice(10))
  await expire()
  await followUpAll(account.id)
  expect(await members()).toEqual(left)
  expect((await pending()).length).toBeGreaterThan(0)

  vi.restoreAllMocks()
  const before = (await commitsOf(account.id)).length
  await expire()
  await followUpAll(account.id)
  expect(await members()).toEqual(ids.slice(10))
  expect(await pending()).toEqual([])
  const commits = (await commitsOf(account.id)).slice(before)
  expect(commits.length).toBeGreaterThan(1)
  expect(commits.every(({ subject }) => subject?.actor_id === account.apiClient.id)).toBe(true)
})
