import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as deleteToken } from '#functions/api/client-tokens/delete-client-token.ts'
import { handler as listTokens } from '#functions/api/client-tokens/list-client-tokens.ts'
import { handler as rotate } from '#functions/api/gateways/rotate-gateway-token.ts'
import { handler as expire } from '#functions/schedules/expire.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { dueItem, duePartition, dueShards } from '#shared/commit/due.ts'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { apiTokens } from '#shared/domain/api-tokens/api-token.ts'
import { type ClientTokenRow, clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { gatewayTokens } from '#shared/domain/gateway-tokens/gateway-token.ts'
import { readPending } from '#shared/domain/member-sets/pending-change.ts'
import { poolMembers } from '#shared/domain/pool-members/pool-member.ts'
import { portalSessions } from '#shared/domain/portal-sessions/portal-session.ts'
import { partition } from '#shared/table/keys.ts'
import { getRow, queryItems, rowsBy } from '#shared/table/read.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { devices, newClients, poolsOf } from '#test/support/accounts/pools.ts'
import { signInWith } from '#test/support/accounts/portal-sessions.ts'
import { followUpAll, readCommits } from '#test/support/logs/commit-stream.ts'
import { membersOf } from '#test/support/table/members-of.ts'
import { plantItems, plantRows } from '#test/support/table/plant-rows.ts'
import { crashAfter } from '#test/support/table/table-faults.ts'

const hour = 3_600_000_000
const now = clock.now.bind(clock)
const inHours = (hours: number) => timestamp(clock.now() + hours * hour)

/**
 * Moves the clock `hours` hours into the past until `present` restores it. The clock is never in the future, because rows of other tests
 * would then be due. No other file runs the schedule concurrently.
 */
const ago = (hours: number) => vi.spyOn(clock, 'now').mockImplementation(() => now() - hours * hour)
const present = () => vi.restoreAllMocks()

const dueOf = async (accountId: string) => {
  const all = await Promise.all(dueShards.map((shard) => queryItems(duePartition(shard))))
  return all.flat().filter(({ account_id }) => account_id === accountId)
}

afterEach(() => vi.restoreAllMocks())

describe('the minute schedule (A31)', () => {
  it('deletes expired client tokens with their authorizations, in log entries without a subject', async () => {
    ago(2)
    const world = await newAccessWorld()
    const gateway = await world.addGateway()
    const short = await world.addToken(world.actor, inHours(1))
    await world.startSession({}, { token: short.token })
    expect((await world.ask({ resource_id: world.resource.id }, { token: short.token })).status).toBe(201)
    await expire()
    expect(await getRow(clientTokens, world.account.id, short.id)).not.toBeNull()
    present()
    await expire()
    expect(await getRow(clientTokens, world.account.id, short.id)).toBeNull()
    expect(await getRow(clientTokens, world.account.id, world.token.id)).not.toBeNull()
    expect(await authorizationsOf(world.account.id, { by: 'gateway', id: gateway.id })).toEqual([])
    const last = (await readCommits(world.account.id)).at(-1)
    expect(last?.subject).toBeNull()
    expect(last?.changes).toMatchObject([
      {
        object: 'client_tokens',
        operation: 'delete',
        before: { id: short.id, secret_hash: '[redacted]' },
        after: null,
      },
    ])
    const listed = await world.account.call(listTokens, { params: { actor_id: world.actor.id } })
    expect(listed.body).toMatchObject({ data: [{ id: world.token.id }], metadata: { total: 1 } })
  })

  it('deletes expired API tokens, and keeps those that are valid', async () => {
    ago(2)
    const world = await newAccessWorld()
    const made = await provision({
      operation: 'create_api_token',
      token_in: 'answer',
      account_id: world.account.id,
      api_token: { expires_at: inHours(1) },
    })
    const { id } = (made as { data: { api_token: { id: string } } }).data.api_token
    present()
    await expire()
    expect(await getRow(apiTokens, world.account.id, id)).toBeNull()
    expect(await getRow(apiTokens, world.account.id, world.account.tokenId)).not.toBeNull()
  })

  it('deletes a rotated gateway token 4 hours after its rotation (A22)', async () => {
    ago(5)
    const world = await newAccessWorld()
    const gateway = await world.addGateway()
    const params = { site_id: world.site.id, gateway_id: gateway.id }
    const { id } = (await world.account.call(rotate, { method: 'POST', params })).body.data
    const tokens = async () => (await rowsBy(gatewayTokens, world.account.id, 'gateway_id', gateway.id)).length
    ago(2)
    await expire()
    expect(await tokens()).toBe(2)
    present()
    await expire()
    expect(await tokens()).toBe(1)
    expect(await getRow(gatewayTokens, world.account.id, id)).not.toBeNull()
  })

  it('is idempotent, and deletes its own due items', async () => {
    ago(2)
    const world = await newAccessWorld()
    for (let i = 0; i < 40; i++) await world.addToken(world.actor, inHours(1))
    const expiredToken = await world.addToken(world.actor, inHours(1))
    await world.account.call(deleteToken, {
      method: 'DELETE',
      params: { actor_id: world.actor.id, id: expiredToken.id },
    })
    expect(await dueOf(world.account.id)).toHaveLength(43)
    present()
    await Promise.all([expire(), expire()])
    const commits = (await readCommits(world.account.id)).length
    await expire()
    expect((await readCommits(world.account.id)).length).toBe(commits)
    const left: ClientTokenRow[] = await rowsBy(clientTokens, world.account.id, 'actor_id', world.actor.id)
    expect(left.map(({ id }) => id)).toEqual([world.token.id])
    // Expects two remaining due items: one for the access world's token, and one for the administrator's token.
    expect(await dueOf(world.account.id)).toHaveLength(2)
  })

  it('deletes more simultaneously expired tokens of an account than one commit can hold', async () => {
    const { account } = await newAccessWorld()
    const expires_at = inHours(-1)
    const stored = { secret_hash: 'hash' }
    await plantRows(account.id, clientTokens, 60, () => ({
      actor_id: randomUUID(),
      auth_provider_id: randomUUID(),
      expires_at,
      ...stored,
    }))
    const ended = await queryItems(partition(account.id, clientTokens.name))
    const due = ended
      .filter((item) => item.expires_at === expires_at)
      .map(({ sk }) => dueItem({ account_id: account.id, collection: clientTokens.name, id: String(sk) }, expires_at))
    expect(due).toHaveLength(60)
    await plantItems(due.map((item) => ({ ...item, pk: duePartition('0') })))
    await expire()
    expect(await queryItems(partition(account.id, clientTokens.name))).toHaveLength(1)
    expect((await dueOf(account.id)).filter(({ sk }) => String(sk).startsWith(expires_at))).toEqual([])
  })

  it('deletes an expired portal session, which is refused already (A30)', async () => {
    ago(8.1)
    const account = await newAccount()
    const { actor, token } = await signInWith(account, 'portal')
    const stored = () => rowsBy(portalSessions, account.id, 'actor_id', actor.id)
    present()
    expect((await call(getAccount, { token })).status).toBe(401)
    expect(await stored()).toHaveLength(1)
    await expire()
    expect(await stored()).toEqual([])
  })

  it("resumes a change whose request died, after two minutes and with that request's subject (A15.6)", async () => {
    ago(125 / 3_600)
    const account = await newAccount()
    const pools = poolsOf(account)
    const ids = await newClients(account, 120)
    const pool = await pools.newPool(ids.slice(0, 20))
    const members = () => membersOf(account.id, poolMembers, pool)
    const pending = () => readPending(account.id, poolMembers.name, pool)

    for (let writes = 2; (await pending()).length === 0; writes++) {
      crashAfter(writes)
      expect((await pools.put(pool, devices(...ids.slice(10)))).status).toBe(503)
      vi.restoreAllMocks()
      ago(125 / 3_600)
    }
    const left = await members()
    expect(left).not.toEqual(ids.slice(10))
    await expire()
    await followUpAll(account.id)
    expect(await members()).toEqual(left)
    expect((await pending()).length).toBeGreaterThan(0)

    present()
    const before = (await readCommits(account.id)).length
    await expire()
    await followUpAll(account.id)
    expect(await members()).toEqual(ids.slice(10))
    expect(await pending()).toEqual([])
    const commits = (await readCommits(account.id)).slice(before)
    expect(commits.length).toBeGreaterThan(1)
    expect(commits.every(({ subject }) => subject?.actor_id === account.apiClient.id)).toBe(true)
  })
})
