import { createHash, randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Authorization } from '#shared/access/authorization.ts'
import { type ActiveAuthorization, authorizationsSince } from '#shared/access/gateway-authorizations.ts'
import { maxResponseBytes, responseBytes } from '#shared/core/json/response-size.ts'
import { encodeBytes } from '#shared/core/secrets/cursor.ts'
import type { IpFilter } from '#shared/domain/resources/filters.ts'
import { maxFilters } from '#test/support/largest/large-resources.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'

type Answer = Awaited<ReturnType<typeof authorizationsSince>>
type Contents = Map<string, string>

const inForce = (id: string, name: string, filters: IpFilter[] = []): ActiveAuthorization => {
  const content = {
    id,
    client: { id: id, actor_id: id, ipv4: '100.64.0.1', ipv6: 'fd00::1', public_key: 'key' },
    resource: {
      id,
      name,
      type: 'dns' as const,
      address: 'wiki.example.com',
      address_description: null,
      filters,
      ip_stack: 'dual' as const,
      site_id: id,
    },
    policy_id: id,
    flow_log_uploads_enabled: true,
    expires_at: '2099-01-01T00:00:00.000000Z',
  }
  const authorization = {
    ...content,
    account_id: id,
    authorized_at: '2026-01-01T00:00:00.000000Z',
    client_id: id,
    actor_id: id,
    resource_id: id,
  }
  return { authorization: authorization as unknown as Authorization, content }
}

/** Applies a heartbeat response to the authorizations that a gateway holds (P4). */
function apply(contents: Contents, { complete, authorizations, added, removed }: Answer): Contents {
  const next = complete ? new Map<string, string>() : new Map(contents)
  for (const id of removed ?? []) next.delete(id)
  for (const { id, resource } of authorizations ?? added ?? []) next.set(id, resource.name)
  return next
}

/** Sends heartbeats until a response contains `more: false`. */
async function heartbeats(
  session: { accountId: string; sessionId: string },
  state: Contents,
  contents: Contents,
  since: string | null,
) {
  const all = [...state].map(([id, name]) => inForce(id, name))
  const sizes: number[] = []
  for (let now = contents, cursor = since; ; ) {
    const answer = await authorizationsSince(session, all, cursor)
    sizes.push((answer.authorizations ?? answer.added ?? []).length)
    now = apply(now, answer)
    cursor = answer.since
    if (!answer.more) return { contents: now, since: cursor, sizes }
  }
}

const session = () => ({ accountId: randomUUID(), sessionId: randomUUID() })

const step = fc.record({
  granted: fc.integer({ min: 0, max: 4 }),
  ended: fc.array(fc.nat(), { maxLength: 3 }),
  changed: fc.array(fc.nat(), { maxLength: 3 }),
  /** True if the response is lost, so that the gateway repeats its previous `since`. */
  lost: fc.boolean(),
})

describe('a heartbeat with since (P4)', () => {
  it('gives a gateway the same authorizations as a full response, after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const ownSession = session()
        const state: Contents = new Map()
        let gateway: { contents: Contents; since: string | null } = { contents: new Map(), since: null }
        let version = 0
        for (const { granted, ended, changed, lost } of steps) {
          const at = (index: number) => [...state.keys()][index % Math.max(1, state.size)]
          for (const id of ended.map(at)) if (id) state.delete(id)
          for (const id of changed.map(at)) if (id) state.set(id, `version ${++version}`)
          for (let i = 0; i < granted; i++) state.set(randomUUID(), 'new')
          const answered = await heartbeats(ownSession, state, gateway.contents, gateway.since)
          const full = await heartbeats(ownSession, state, new Map(), null)
          expect(answered.contents).toEqual(full.contents)
          expect(answered.contents).toEqual(state)
          if (!lost) gateway = answered
        }
      }),
      { numRuns: 60 },
    )
  })

  it('lists at most 500 at a time, and further ones in `added`', async () => {
    const ownSession = session()
    const state: Contents = new Map(Array.from({ length: 1_201 }, () => [randomUUID(), 'new']))
    const first = await heartbeats(ownSession, state, new Map(), null)
    expect(first.sizes).toEqual([500, 500, 201])
    expect(first.contents).toEqual(state)
    for (const id of [...state.keys()].slice(0, 600)) state.set(id, 'changed')
    for (const id of [...state.keys()].slice(600, 700)) state.delete(id)
    const second = await heartbeats(ownSession, state, first.contents, first.since)
    expect(second.sizes).toEqual([500, 100])
    expect(second.contents).toEqual(state)
    expect((await heartbeats(ownSession, state, second.contents, second.since)).sizes).toEqual([0])
  })

  it.each([
    [0, [0]],
    [1, [1]],
    [499, [499]],
    [500, [500]],
    [501, [500, 1]],
    [1_000, [500, 500]],
    [1_001, [500, 500, 1]],
  ])('lists %i new or changed authorizations in responses of %j', async (count, sizes) => {
    const ownSession = session()
    const state: Contents = new Map(Array.from({ length: count }, () => [randomUUID(), 'new']))
    const first = await heartbeats(ownSession, state, new Map(), null)
    expect([first.sizes, first.contents]).toEqual([sizes, state])
    for (const id of state.keys()) state.set(id, 'changed')
    const second = await heartbeats(ownSession, state, first.contents, first.since)
    expect([second.sizes, second.contents]).toEqual([sizes, state])
    const last = await heartbeats(ownSession, new Map(), second.contents, second.since)
    expect([last.sizes, last.contents]).toEqual([[0], new Map()])
  })

  it('stays exact when authorizations start, change and end between partial responses', async () => {
    const ownSession = session()
    const state: Contents = new Map(Array.from({ length: 1_200 }, () => [randomUUID(), 'new']))
    const all = () => [...state].map(([id, name]) => inForce(id, name))
    let contents: Contents = new Map()
    let since: string | null = null
    for (let part = 0; part < 4; part++) {
      const answer: Answer = await authorizationsSince(ownSession, all(), since)
      contents = apply(contents, answer)
      since = answer.since
      expect(contents.size).toBeLessThanOrEqual(500 * (part + 1))
      // Removes one delivered and one undelivered authorization, changes a delivered one, and adds a new one.
      const [delivered, undelivered] = [[...contents.keys()], [...state.keys()].filter((id) => !contents.has(id))]
      for (const id of [delivered[part], undelivered[0]]) if (id) state.delete(id)
      state.set(delivered[part + 10] as string, `changed ${part}`)
      state.set(randomUUID(), 'late')
    }
    const end = await heartbeats(ownSession, state, contents, since)
    expect(end.contents).toEqual(state)
  })

  it('ignores the value of another session, and accepts its own repeatedly', async () => {
    const [ownSession, later] = [session(), session()]
    const state: Contents = new Map([[randomUUID(), 'new']])
    const all = [...state].map(([id, name]) => inForce(id, name))
    const [mine, theirs] = [
      await authorizationsSince(ownSession, all, null),
      await authorizationsSince({ ...later, accountId: ownSession.accountId }, all, null),
    ]
    expect((await authorizationsSince(ownSession, all, theirs.since)).complete).toBe(true)
    expect((await authorizationsSince({ ...ownSession, accountId: randomUUID() }, all, mine.since)).complete).toBe(true)
    for (let i = 0; i < 3; i++)
      expect(await authorizationsSince(ownSession, all, mine.since)).toMatchObject({ added: [], removed: [] })
  })

  it('ignores a foreign, truncated or invented value', async () => {
    const ownSession = session()
    const state: Contents = new Map([[randomUUID(), 'new']])
    const all = [...state].map(([id, name]) => inForce(id, name))
    const { since } = await authorizationsSince(ownSession, all, null)
    expect((await authorizationsSince(ownSession, all, since)).complete).toBe(false)
    const other = { ...ownSession, sessionId: randomUUID() }
    const foreign = (await authorizationsSince(other, all, null)).since
    for (const value of [
      foreign,
      since.slice(0, -1),
      `${since}A`,
      '',
      'x',
      since.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')),
    ]) {
      expect(await authorizationsSince(ownSession, all, value), value).toMatchObject({
        complete: true,
        added: null,
        removed: null,
      })
    }
  })
})

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

type Session = ReturnType<typeof session>
const bindingOf = ({ accountId, sessionId }: Session) => `gateway since ${accountId} ${sessionId}`

/** Entry for an authorization in `since`: its id and eight bytes of its content's hash. */
const entryOf = (content: ActiveAuthorization['content']) =>
  Buffer.concat([
    Buffer.from(content.id.replaceAll('-', ''), 'hex'),
    createHash('sha256').update(JSON.stringify(content)).digest().subarray(0, 8),
  ])

describe('the size of a heartbeat and its answer (P4.4)', () => {
  it('ends the response before it is too large, and continues by `more`', async () => {
    const ownSession = session()
    const filters = maxFilters()
    const all = Array.from({ length: 20 }, () => inForce(randomUUID(), 'large', filters))
    let contents: Contents = new Map()
    for (let since: string | null = null, more = true; more; ) {
      const answer: Answer = await authorizationsSince(ownSession, all, since)
      expect(responseBytes(answer)).toBeLessThanOrEqual(maxResponseBytes)
      if (answer.more) expect(responseBytes(answer)).toBeGreaterThan(maxResponseBytes - 1_000_000)
      contents = apply(contents, answer)
      since = answer.since
      more = answer.more
    }
    expect([...contents.keys()]).toEqual(all.map(({ content }) => content.id))
  })

  it('has capacity for the largest authorization besides the maximum of removed ones', async () => {
    const ownSession = session()
    const since = Buffer.concat(Array.from({ length: 50_000 }, () => randomBytes(24)))
    const large = Array.from({ length: 4 }, () => inForce(randomUUID(), 'large', maxFilters()))
    const answer = await authorizationsSince(ownSession, large, await encodeBytes(bindingOf(ownSession), since))
    expect([answer.removed?.length, answer.added?.length, answer.more]).toEqual([50_000, 3, true])
    expect(responseBytes(answer)).toBeLessThanOrEqual(maxResponseBytes)
    expect((await authorizationsSince(ownSession, large, answer.since)).added).toHaveLength(1)
  })

  it('delivers the oldest 50,000, logs that once a round, and fits a request', { timeout: 120_000 }, async () => {
    const log = catchLog()
    const ownSession = session()
    const all = Array.from({ length: 50_600 }, () => inForce(randomUUID(), 'new'))
    const since = Buffer.concat(all.slice(0, 49_400).map(({ content }) => entryOf(content)))
    let answer = await authorizationsSince(ownSession, all, await encodeBytes(bindingOf(ownSession), since))
    expect([answer.added?.length, answer.removed, answer.more]).toEqual([500, [], true])
    expect(log.lines()).toEqual([])
    answer = await authorizationsSince(ownSession, all, answer.since)
    expect(answer.added?.map(({ id }) => id)).toEqual(all.slice(49_900, 50_000).map(({ content }) => content.id))
    expect(answer.more).toBe(false)
    expect(log.lines()).toMatchObject([
      { level: 'WARN', event: 'gateway_partially_notified', account_id: ownSession.accountId, delivered: 50_000 },
    ])
    expect(JSON.stringify({ session: { since: answer.since } }).length).toBeLessThan(5_000_000)
    expect(responseBytes(answer)).toBeLessThanOrEqual(maxResponseBytes)
    const ended = await authorizationsSince(ownSession, all.slice(1), answer.since)
    expect([ended.removed, ended.added?.map(({ id }) => id)]).toEqual([[all[0]?.content.id], [all[50_000]?.content.id]])
  })

  it('is complete once after a rotation of the signing secret, with tokens of the new version', async () => {
    const ownSession = session()
    const all = [inForce(randomUUID(), 'same')]
    const process = async () => {
      vi.resetModules()
      return import('#shared/access/gateway-authorizations.ts')
    }
    const kid = (answer: Answer) => {
      const [header = ''] = (answer.authorizations?.[0]?.ingest_token ?? '').split('.')
      return JSON.parse(Buffer.from(header, 'base64url').toString()).kid
    }
    vi.stubEnv('SIGNING_SECRET', 'one')
    const before = await (await process()).authorizationsSince(ownSession, all, null)
    vi.stubEnv('SIGNING_SECRET', 'two')
    const rotated = await process()
    const after = await rotated.authorizationsSince(ownSession, all, before.since)
    expect([before.complete, after.complete]).toEqual([true, true])
    expect(kid(after)).not.toBe(kid(before))
    expect(await rotated.authorizationsSince(ownSession, all, after.since)).toMatchObject({
      complete: false,
      added: [],
      removed: [],
    })
    vi.unstubAllEnvs()
    vi.resetModules()
  })
})
