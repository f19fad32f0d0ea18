import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler as renewSession } from '#functions/api/client-sessions/renew-client-session.ts'
import { clock, parseTimestamp, timestamp } from '#shared/core/clock.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { heartbeat } from '#test/support/access/gateways.ts'
import { call } from '#test/support/accounts/account.ts'

const everyDay = ['M', 'T', 'W', 'R', 'F', 'S', 'U'].map((day) => `${day}/true/UTC`)
const day = 86_400_000_000
const daily = [{ property: 'current_utc_datetime', operator: 'is_in_day_of_week_time_ranges', values: everyDay }]

afterEach(() => vi.restoreAllMocks())

const freeze = (micros: number) => vi.spyOn(clock, 'now').mockReturnValue(micros)

/** Creates an authorization that expires at midnight, before the leases of the client and the gateway expire. */
async function granted(request: { token?: string } = {}) {
  // Sets the clock to noon of the next day, so that midnight is not near.
  freeze((Math.ceil(clock.now() / day) + 0.5) * day)
  const world = await newAccessWorld(daily)
  const gateway = await world.addGateway()
  const session = (await world.startSession({}, request)).body.data
  const ask = () => world.ask({ resource_id: world.resource.id }, request)
  const authorization = (await ask()).body.data
  const end = parseTimestamp(authorization.expires_at) as number
  vi.stubEnv('HEARTBEAT_SECS', String(2 * 86_400))
  const beat = async (since?: string) =>
    (await heartbeat(gateway.token, gateway.session.id, { session: { since } })).body.data
  const renew = () =>
    call(renewSession, { method: 'PUT', token: request.token ?? world.token.token, params: { id: session.id } })
  await renew()
  return { world, gateway, authorization, end, ask, beat, renew }
}

afterEach(() => vi.unstubAllEnvs())

describe('the expiry of an authorization (P5.5, A31)', () => {
  it('takes effect at its time, without a job', async () => {
    const { authorization, end, ask, beat } = await granted()
    const { since } = await beat()
    freeze(end - 1)
    expect(await beat(since)).toMatchObject({ added: [], removed: [] })
    expect(await ask()).toMatchObject({ status: 200, body: { data: { id: authorization.id } } })
    freeze(end)
    expect(await beat(since)).toMatchObject({ added: [], removed: [authorization.id] })
    expect((await beat()).authorizations).toEqual([])
  })

  it('makes the next decision create a new authorization with its own expiry', async () => {
    const { authorization, end, ask, beat } = await granted()
    const { since } = await beat()
    freeze(end + 1_000_000)
    const next = await ask()
    expect(next.status).toBe(201)
    expect(next.body.data.id).not.toBe(authorization.id)
    expect(next.body.data.expires_at > authorization.expires_at).toBe(true)
    const changed = await beat(since)
    expect(changed.removed).toEqual([authorization.id])
    expect(changed.added).toMatchObject([{ id: next.body.data.id }])
  })

  it('is the expiry of the token if that comes first', async () => {
    const world = await newAccessWorld()
    const gateway = await world.addGateway()
    const end = clock.now() + 50_000_000
    const { id, token } = await world.addToken(world.actor, timestamp(end))
    await world.startSession({}, { token })
    const { data } = (await world.ask({ resource_id: world.resource.id }, { token })).body
    expect([id === data.id, data.expires_at]).toEqual([false, timestamp(end)])
    freeze(end)
    expect((await world.ask({ resource_id: world.resource.id }, { token })).status).toBe(401)
    expect((await heartbeat(gateway.token, gateway.session.id)).body.data.authorizations).toEqual([])
  })
})

describe('the lease of a gateway (P1.4, P5.2)', () => {
  it('excludes the gateway from decisions from its end on', async () => {
    const world = await newAccessWorld()
    const gateway = await world.addGateway()
    const end = parseTimestamp(gateway.session.expires_at) as number
    freeze(end - 1)
    await world.startSession()
    expect((await world.ask({ resource_id: world.resource.id })).status).toBe(201)
    freeze(end)
    expect((await world.ask({ resource_id: world.resource.id })).body.code).toBe('gateway_offline')
  })
})

describe('the lease of a client (P1.4, P5.5(3))', () => {
  it("ends the client's authorizations and session from its end on", async () => {
    const world = await newAccessWorld()
    const gateway = await world.addGateway()
    const session = (await world.startSession()).body.data
    const end = parseTimestamp(session.expires_at) as number
    const { id } = (await world.ask({ resource_id: world.resource.id })).body.data
    freeze(end - 40_000_000)
    await heartbeat(gateway.token, gateway.session.id)
    freeze(end - 1)
    const { authorizations, since } = (await heartbeat(gateway.token, gateway.session.id)).body.data
    expect(authorizations).toMatchObject([{ id }])
    freeze(end)
    const changed = (await heartbeat(gateway.token, gateway.session.id, { session: { since } })).body.data
    expect(changed.removed).toEqual([id])
    for (const session_id of [undefined, session.id])
      expect((await world.ask({ resource_id: world.resource.id, session_id })).body.code).toBe('no_session')
  })
})
