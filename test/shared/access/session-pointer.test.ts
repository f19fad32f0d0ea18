import { afterEach, describe, expect, it, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { findPointer } from '#shared/domain/gateways/session-pointer.ts'
import { end, heartbeat, newSite, start } from '#test/support/access/gateways.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { newAccount } from '#test/support/accounts/account.ts'

const hour = 3_600

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

/** Creates a gateway session with a site's token. `hoursLeft` returns the lifetime of the session's pointer, in hours from the start. */
async function newSession() {
  const account = await newAccount()
  const site = await newSite(account)
  const token = await site.token()
  const public_key = publicKey()
  const { id } = (await start(token.token, { public_key })).body.data
  const startedAt = clock.now()
  const pointer = () => findPointer(account.id, token.id, id)
  return {
    token: token.token as string,
    id: id as string,
    public_key,
    pointer,
    at: (hours: number) => vi.spyOn(clock, 'now').mockReturnValue(startedAt + hours * hour * 1_000_000),
    hoursLeft: async () => Math.round((((await pointer())?.ttl ?? 0) - startedAt / 1_000_000) / hour),
  }
}

describe('the pointer from a site token to its session', () => {
  it('expires a day after the lease', async () => {
    const session = await newSession()
    expect(await session.hoursLeft()).toBe(24)
    await end(session.token, session.id)
    expect(await session.hoursLeft()).toBe(24)
  })

  it('is kept while heartbeats arrive, and is written once in half a day', async () => {
    vi.stubEnv('HEARTBEAT_SECS', String(2 * hour))
    const session = await newSession()
    const seen: number[] = []
    for (let hours = 0; hours <= 60; hours += 5) {
      session.at(hours)
      expect((await heartbeat(session.token, session.id)).status).toBe(200)
      seen.push(await session.hoursLeft())
    }
    expect(seen).toEqual([30, 30, 30, 45, 45, 45, 60, 60, 60, 75, 75, 75, 90])
  })

  it('is deleted when another session replaces its session, and no heartbeat restores it', async () => {
    const session = await newSession()
    await start(session.token, { public_key: session.public_key })
    expect(await session.pointer()).toBeUndefined()
    session.at(20)
    expect((await heartbeat(session.token, session.id)).status).toBe(404)
    expect(await session.pointer()).toBeUndefined()
  })
})
