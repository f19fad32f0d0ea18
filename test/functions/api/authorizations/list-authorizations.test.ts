import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler } from '#functions/api/authorizations/list-authorizations.ts'
import { handler as endClientSession } from '#functions/api/client-sessions/end-client-session.ts'
import { handler as renewGateway } from '#functions/api/gateway-sessions/renew-gateway-session.ts'
import { type Authorization, authorizationItems } from '#shared/access/authorization.ts'
import { commit } from '#shared/commit/commit.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { uuidV7 } from '#shared/core/ids.ts'
import { mintClientToken } from '#shared/domain/client-tokens/client-token.ts'
import { presenceItem } from '#shared/domain/sessions/presence.ts'
import { partition, type RowPointer } from '#shared/table/keys.ts'
import { putItem } from '#shared/table/put-item.ts'
import { getItem } from '#shared/table/read.ts'
import { type AccessWorld, newAccessWorld } from '#test/support/access/access.ts'
import { type Account, call, newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { insertActor } from '#test/support/accounts/rows.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { movableClock } from '#test/support/table/movable-clock.ts'
import { plantItems } from '#test/support/table/plant-rows.ts'

const list = (account: Account, query: Record<string, string>) => account.call(handler, { query })
const idsOf = async (account: Account, query: Record<string, string>): Promise<string[]> =>
  (await list(account, query)).body.data.map(({ id }: { id: string }) => id)

describe('GET /authorizations (K11.G10)', () => {
  let world: AccessWorld
  let sessions: { id: string; client: { id: string } }[]
  let granted: { id: string; gateway: { id: string }; policy_id: string; expires_at: string }[]
  let shared: { id: string }
  beforeAll(async () => {
    world = await newAccessWorld()
    await world.addGateway()
    shared = await world.addResource()
    const person = await insertActor(world.account.id, { type: 'account_user', email: 'grace@example.com' })
    const everyone = await getItem<RowPointer>({
      pk: partition(world.account.id, 'unique.groups.managed', 'everyone'),
      sk: 'unique',
    })
    await world.addPolicy({ resource_id: shared.id, group_id: everyone?.row.sk ?? '' })
    await world.addPolicy({ resource_id: shared.id })
    const { token } = await commit({ accountId: world.account.id, subject: null }, (transaction) =>
      mintClientToken(transaction, person.id, { expires_at: '2099-01-01T00:00:00.000000Z', auth_provider_id: null }),
    )
    sessions = [
      (await world.startSession()).body.data,
      (await world.startSession({ svc_id: 'phone' })).body.data,
      (await world.startSession({}, { token })).body.data,
    ]
    granted = []
    for (const [i, resource] of [world.resource, world.resource, shared, shared].entries()) {
      const session = sessions[i % 3]
      const answer = await world.ask(
        { resource_id: resource.id, session_id: session?.id },
        i % 3 === 2 ? { token } : {},
      )
      granted.push(answer.body.data)
    }
  })
  const all = () => granted.map(({ id }) => id)
  const some = (...places: number[]) => places.map((i) => granted[i]?.id)

  it('shows an authorization with its grounds, also for access through the managed group', async () => {
    const { body } = await list(world.account, { gateway_id: String(granted[0]?.gateway.id) })
    expect(body.metadata).toEqual({ limit: 50, next_page: null, prev_page: null })
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(all())
    expect(body.data[0]).toEqual({
      id: granted[0]?.id,
      actor_id: world.actor.id,
      client_id: sessions[0]?.client.id,
      gateway_id: granted[0]?.gateway.id,
      resource_id: world.resource.id,
      policy_id: world.policy.id,
      group_id: world.group.id,
      client_remote_ip: expect.any(String),
      user_agent: 'tests',
      authorized_at: expect.stringMatching(/Z$/),
      expires_at: granted[0]?.expires_at,
    })
    const everyone = await getItem<RowPointer>({
      pk: partition(world.account.id, 'unique.groups.managed', 'everyone'),
      sk: 'unique',
    })
    expect(body.data[2].group_id).toBe(everyone?.row.sk)
  })

  it.each<[string, () => Record<string, unknown>, () => unknown[]]>([
    ['resource_id', () => ({ resource_id: shared.id }), () => some(2, 3)],
    ['policy_id', () => ({ policy_id: world.policy.id }), () => some(0, 1)],
    ['client_id', () => ({ client_id: sessions[0]?.client.id }), () => some(0, 3)],
    ['actor_id', () => ({ actor_id: world.actor.id }), () => some(0, 1, 3)],
    ['actor_id and resource_id', () => ({ actor_id: world.actor.id, resource_id: shared.id }), () => some(3)],
    [
      'client_id and policy_id',
      () => ({ client_id: sessions[0]?.client.id, policy_id: world.policy.id }),
      () => some(0),
    ],
    ['client_id of another actor', () => ({ client_id: sessions[2]?.client.id, actor_id: world.actor.id }), () => []],
    ['resource_id and gateway_id', () => ({ resource_id: shared.id, gateway_id: randomUUID() }), () => []],
    ['an unknown id', () => ({ policy_id: randomUUID() }), () => []],
  ])('filters by %s', async (_name, query, expected) => {
    expect(await idsOf(world.account, query() as Record<string, string>)).toEqual(expected())
  })

  it.each(['actor_id', 'gateway_id'])('pages by %s in both directions', async (name) => {
    const id = name === 'actor_id' ? world.actor.id : String(granted[0]?.gateway.id)
    const query = { [name]: id, limit: '2' }
    const expected = name === 'actor_id' ? some(0, 1, 3) : all()
    const first = await list(world.account, query)
    const second = await list(world.account, { ...query, page_cursor: first.body.metadata.next_page })
    const pages = [first, second].map(({ body }) => body.data.map((row: { id: string }) => row.id))
    expect(pages).toEqual([expected.slice(0, 2), expected.slice(2)])
    expect(second.body.metadata.next_page).toBeNull()
    const back = await list(world.account, { ...query, page_cursor: second.body.metadata.prev_page })
    expect(back.body).toEqual(first.body)
  })

  it.each<Record<string, string>>([{}, { gateway_id: 'x' }, { client_id: '' }, { policy_id: 'null' }])(
    'refuses %j',
    async (query) => {
      const { status, body } = await list(world.account, query)
      expect([status, body.code]).toEqual([400, 'invalid_filter'])
      if (Object.keys(query).length === 0)
        expect(body.detail).toBe('One of gateway_id, resource_id, actor_id, client_id, policy_id is required.')
    },
  )

  it('refuses the cursor of another list', async () => {
    const { body } = await list(world.account, { actor_id: world.actor.id, limit: '1' })
    const other = await list(world.account, { resource_id: shared.id, page_cursor: body.metadata.next_page })
    expect([other.status, other.body.code]).toEqual([400, 'invalid_page_cursor'])
  })

  it('requires clients:read, and shows nothing of another account', async () => {
    const narrow = await withScopes(world.account, 'clients:read')
    expect(await idsOf(narrow, { resource_id: shared.id })).toEqual(some(2, 3))
    const other = await withScopes(world.account, 'policies:write')
    expect((await list(other, { resource_id: shared.id })).body.required_scope).toBe('clients:read')
    expect(await idsOf(await newAccount(), { resource_id: shared.id })).toEqual([])
  })

  it('costs at most 10 read units and 3 per row', async () => {
    const queries: Record<string, string>[] = [
      { gateway_id: String(granted[0]?.gateway.id) },
      { actor_id: world.actor.id },
    ]
    for (const query of queries) {
      const { reads } = await measure(() => list(world.account, query))
      expect(reads).toBeLessThanOrEqual(10 + 3 * 4)
    }
  })
})

describe('an authorization is listed only while it is in force (P5.5(3))', () => {
  it('ends with its client’s session, and with its time', async () => {
    const world = await newAccessWorld()
    const gateway = await world.addGateway()
    const { id: session } = (await world.startSession()).body.data
    const query = { resource_id: world.resource.id }
    const { id } = (await world.ask(query)).body.data
    expect(await idsOf(world.account, query)).toEqual([id])
    await call(endClientSession, { method: 'DELETE', token: world.token.token, params: { id: session } })
    expect(await idsOf(world.account, query)).toEqual([])
    await world.startSession()
    const again = (await world.ask(query)).body.data
    expect(await idsOf(world.account, query)).toEqual([again.id])
    const { body } = await call(renewGateway, {
      method: 'PUT',
      token: gateway.token,
      params: { id: gateway.session.id },
    })
    expect(body.data.authorizations.map(({ id: each }: { id: string }) => each)).toEqual([again.id])
    movableClock().minutes(2)
    expect(await idsOf(world.account, query)).toEqual([])
  })

  it('reads at most 1,000 per page, and resumes there', async () => {
    const account = await newAccount()
    const [policy_id, online] = [randomUUID(), randomUUID()]
    const now = clock.now()
    const presence = { last_seen_at: timestamp(now), last_seen_version: '1.4.0', last_seen_remote_ip: '192.0.2.1' }
    const session = { session_id: randomUUID(), token_id: randomUUID(), public_key: 'key', tested: '' }
    const lease_expires_at = now + 60_000_000_000
    await putItem(presenceItem(account.id, 'clients', online, { ...presence, ...session, lease_expires_at }))
    const items = Array.from({ length: 1_300 }, (_, i) => {
      const authorization: Authorization = {
        ...{ id: uuidV7(now + i * 1_000), account_id: account.id, policy_id, client_token_id: randomUUID() },
        ...{ client_id: i === 1_200 ? online : randomUUID(), actor_id: randomUUID(), membership: null },
        ...{ gateway_id: randomUUID(), resource_id: randomUUID(), client_public_key: 'key' },
        ...{ client_remote_ip: '192.0.2.1', gateway_remote_ip: null, user_agent: null },
        flow_log_uploads_enabled: true,
        ...{ authorized_at: timestamp(now), expires_at: '2099-01-01T00:00:00.000000Z', state_at: timestamp(now) },
      }
      const { main, indexes } = authorizationItems(authorization)
      return [main, ...indexes]
    })
    await plantItems(items.flat())
    let body: { data: { client_id: string }[]; metadata: { next_page: string | null } } | undefined
    const { reads } = await measure(async () => {
      body = (await list(account, { policy_id })).body
    })
    expect([body?.data, typeof body?.metadata.next_page]).toEqual([[], 'string'])
    expect(reads).toBeLessThanOrEqual(10 + 3 * 1_000)
    const next = await list(account, { policy_id, page_cursor: String(body?.metadata.next_page) })
    expect(next.body.data).toMatchObject([{ client_id: online }])
    expect(next.body.metadata.next_page).toBeNull()
  })
})
