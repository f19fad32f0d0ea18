import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuthorizationItem } from '#shared/access/authorizations/authorization.ts'
import { answerSince } from '#shared/access/gateway-sessions/answer-since.ts'
import type { InForce } from '#shared/access/gateway-sessions/authorizations-in-force.ts'

type Answer = Awaited<ReturnType<typeof answerSince>>
type Held = Map<string, string>

const inForce = (id: string, name: string): InForce => {
  const content = {
    id,
    client: { id: id, actor_id: id, ipv4: '100.64.0.1', ipv6: 'fd00::1', public_key: 'key' },
    resource: {
      id,
      name,
      type: 'dns' as const,
      address: 'wiki.example.com',
      address_description: null,
      filters: [],
      ip_stack: 'dual' as const,
      site_id: id,
    },
    policy_id: id,
    flow_log_uploads_enabled: true,
    expires_at: '2099-01-01T00:00:00.000000Z',
  }
  const item = {
    ...content,
    account_id: id,
    authorized_at: '2026-01-01T00:00:00.000000Z',
    client_id: id,
    actor_id: id,
    resource_id: id,
  }
  return { item: item as unknown as AuthorizationItem, content }
}

/** What a gateway does with an answer (P4). */
function apply(held: Held, { complete, authorizations, added, removed }: Answer): Held {
  const next = complete ? new Map<string, string>() : new Map(held)
  for (const id of removed ?? []) next.delete(id)
  for (const { id, resource } of authorizations ?? added ?? []) next.set(id, resource.name)
  return next
}

/** Asks until there is no more. */
async function heartbeats(
  session: { accountId: string; sessionId: string },
  state: Held,
  held: Held,
  since: string | null,
) {
  const all = [...state].map(([id, name]) => inForce(id, name))
  const sizes: number[] = []
  for (let now = held, known = since; ; ) {
    const answer = await answerSince(session, all, known)
    sizes.push((answer.authorizations ?? answer.added ?? []).length)
    now = apply(now, answer)
    known = answer.since
    if (!answer.more) return { held: now, since: known, sizes }
  }
}

const session = () => ({ accountId: randomUUID(), sessionId: randomUUID() })

/** A change of what is in force: grants, ends, and changes of content. */
const step = fc.record({
  granted: fc.integer({ min: 0, max: 4 }),
  ended: fc.array(fc.nat(), { maxLength: 3 }),
  changed: fc.array(fc.nat(), { maxLength: 3 }),
  /** Whether the answer gets lost: the gateway asks with what it had. */
  lost: fc.boolean(),
})

describe('a heartbeat with since (P4)', () => {
  it('leaves a gateway with exactly what a full answer gives, whatever happened in between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const own = session()
        const state: Held = new Map()
        let gateway: { held: Held; since: string | null } = { held: new Map(), since: null }
        let version = 0
        for (const { granted, ended, changed, lost } of steps) {
          const at = (index: number) => [...state.keys()][index % Math.max(1, state.size)]
          for (const id of ended.map(at)) if (id) state.delete(id)
          for (const id of changed.map(at)) if (id) state.set(id, `version ${++version}`)
          for (let i = 0; i < granted; i++) state.set(randomUUID(), 'new')
          const answered = await heartbeats(own, state, gateway.held, gateway.since)
          const full = await heartbeats(own, state, new Map(), null)
          expect(answered.held).toEqual(full.held)
          expect(answered.held).toEqual(state)
          if (!lost) gateway = answered
        }
      }),
      { numRuns: 60 },
    )
  })

  it('lists at most 500 at a time, and the rest under added', async () => {
    const own = session()
    const state: Held = new Map(Array.from({ length: 1_201 }, () => [randomUUID(), 'new']))
    const first = await heartbeats(own, state, new Map(), null)
    expect(first.sizes).toEqual([500, 500, 201])
    expect(first.held).toEqual(state)
    for (const id of [...state.keys()].slice(0, 600)) state.set(id, 'changed')
    for (const id of [...state.keys()].slice(600, 700)) state.delete(id)
    const second = await heartbeats(own, state, first.held, first.since)
    expect(second.sizes).toEqual([500, 100])
    expect(second.held).toEqual(state)
    expect((await heartbeats(own, state, second.held, second.since)).sizes).toEqual([0])
  })

  it.each([
    [0, [0]],
    [1, [1]],
    [499, [499]],
    [500, [500]],
    [501, [500, 1]],
    [1_000, [500, 500]],
    [1_001, [500, 500, 1]],
  ])('lists %i authorizations in answers of %j, and as many that changed', async (count, sizes) => {
    const own = session()
    const state: Held = new Map(Array.from({ length: count }, () => [randomUUID(), 'new']))
    const first = await heartbeats(own, state, new Map(), null)
    expect([first.sizes, first.held]).toEqual([sizes, state])
    for (const id of state.keys()) state.set(id, 'changed')
    const second = await heartbeats(own, state, first.held, first.since)
    expect([second.sizes, second.held]).toEqual([sizes, state])
    const last = await heartbeats(own, new Map(), second.held, second.since)
    expect([last.sizes, last.held]).toEqual([[0], new Map()])
  })

  it('stays exact when authorizations come, change and end between the parts of an answer', async () => {
    const own = session()
    const state: Held = new Map(Array.from({ length: 1_200 }, () => [randomUUID(), 'new']))
    const all = () => [...state].map(([id, name]) => inForce(id, name))
    let held: Held = new Map()
    let since: string | null = null
    for (let part = 0; part < 4; part++) {
      const answer: Answer = await answerSince(own, all(), since)
      held = apply(held, answer)
      since = answer.since
      expect(held.size).toBeLessThanOrEqual(500 * (part + 1))
      // One of those told before ends, one of them changes, one of those not told yet ends, and a new one comes.
      const [told, untold] = [[...held.keys()], [...state.keys()].filter((id) => !held.has(id))]
      for (const id of [told[part], untold[0]]) if (id) state.delete(id)
      state.set(told[part + 10] as string, `changed ${part}`)
      state.set(randomUUID(), 'late')
    }
    const end = await heartbeats(own, state, held, since)
    expect(end.held).toEqual(state)
  })

  it('takes the value of a later session as absent, and one of its own at any time', async () => {
    const [own, later] = [session(), session()]
    const state: Held = new Map([[randomUUID(), 'new']])
    const all = [...state].map(([id, name]) => inForce(id, name))
    const [mine, theirs] = [
      await answerSince(own, all, null),
      await answerSince({ ...later, accountId: own.accountId }, all, null),
    ]
    expect((await answerSince(own, all, theirs.since)).complete).toBe(true)
    expect((await answerSince({ ...own, accountId: randomUUID() }, all, mine.since)).complete).toBe(true)
    for (let i = 0; i < 3; i++)
      expect(await answerSince(own, all, mine.since)).toMatchObject({ added: [], removed: [] })
  })

  it('answers a foreign, cut or invented value as if it were absent', async () => {
    const own = session()
    const state: Held = new Map([[randomUUID(), 'new']])
    const all = [...state].map(([id, name]) => inForce(id, name))
    const { since } = await answerSince(own, all, null)
    expect((await answerSince(own, all, since)).complete).toBe(false)
    const other = { ...own, sessionId: randomUUID() }
    const foreign = (await answerSince(other, all, null)).since
    for (const value of [
      foreign,
      since.slice(0, -1),
      `${since}A`,
      '',
      'x',
      since.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')),
    ]) {
      expect(await answerSince(own, all, value), value).toMatchObject({ complete: true, added: null, removed: null })
    }
  })
})
