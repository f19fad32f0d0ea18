import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { beforeAll, describe, expect, it } from 'vitest'
import { isUuid } from '#shared/core/ids.ts'
import { toJson } from '#shared/core/json/json.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { accountVersionKey } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import type { Answer } from '#test/support/accounts/account.ts'
import { writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { plantedSecret } from '#test/support/operations/configuration-samples.ts'
import { loadEntries } from '#test/support/operations/operations.ts'
import { type Request, sampleRequests } from '#test/support/operations/sample-requests.ts'

/** Laws that need a successful request to every operation in each of two accounts. */

type World = Awaited<ReturnType<typeof sampleRequests>>

const entries = await loadEntries()
const tokens = /\bna[acgp]_[A-Za-z0-9_-]{40}/
const stored = /secret_hash/

let world: World
let other: World
beforeAll(async () => {
  world = await sampleRequests()
  other = await sampleRequests()
})

const sampleOf = async ({ samples }: World, name: string): Promise<Request> => (await samples[name]?.()) ?? {}
const sequenceOf = async ({ account }: World) => (await getItem(accountVersionKey(account.id)))?.sequence
const sequences = () => Promise.all([world, other].map(sequenceOf))

/** Returns every subset of the names, from the empty set to all names. */
const choices = ([first, ...rest]: string[]): string[][] =>
  first === undefined ? [[]] : choices(rest).flatMap((chosen) => [chosen, [first, ...chosen]])

/** Returns copies of the body. In each copy, one id is replaced by the id at the same position in the foreign body. */
function withForeignIds(sample: unknown, foreign: unknown): unknown[] {
  if (typeof sample === 'string') return isUuid(sample) ? [foreign] : []
  if (typeof sample !== 'object' || sample === null) return []
  return Object.entries(sample).flatMap(([key, value]) =>
    withForeignIds(value, (foreign as Record<string, unknown>)[key]).map((replaced) =>
      Array.isArray(sample) ? sample.with(Number(key), replaced) : { ...sample, [key]: replaced },
    ),
  )
}

/** Parses counters of flows as `bigint`, because they are 64-bit integers. */
const bigCounters = (key: string, value: unknown): unknown =>
  /^[rt]x_(packets|bytes)$/.test(key) && typeof value === 'number' ? BigInt(value) : value

async function expectRefusal(name: string, request: Request, expected: number[], note: string): Promise<void> {
  const before = await sequences()
  const { status, text } = await world.send(name, request)
  expect(expected, `${note}: ${status} ${text}`).toContain(status)
  expect(await sequences(), note).toEqual(before)
}

it('has a sample of every operation', () => {
  expect(Object.keys(world.samples).sort()).toEqual(entries.map(({ name }) => name).sort())
})

describe.each(entries)('$name', ({ name, operation }) => {
  const { credential = 'api', method, path, secret, status = 200 } = operation
  const legacy = isV0(path)
  const ofAccount = credential === 'api' && !legacy
  const keyed = ofAccount && method === 'POST' && path !== '/access/evaluate'
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => id)
  /** True if a path parameter identifies an object of the account. A log name does not, and anonymous operations return public objects. */
  const isOfAccount = (place: string): boolean => credential !== 'none' && place !== 'log'
  const isName = (place: string): boolean => place === 'slug' || place === 'log'

  // Request that earlier tests send with foreign ids and expect to be refused. A later test sends it unchanged, and its success proves that
  // only the foreign ids caused the refusals.
  let sample: Request
  let answer: Answer
  beforeAll(async () => {
    sample = await sampleOf(world, name)
  })

  // Skips callbacks, because a different id ends the sign-in. complete-sign-in-of-provider.test.ts covers this case.
  if (ids.length > 0 && status !== 303)
    it('returns 404 for the id of another account or an unknown one, at any place of its path', async () => {
      const foreign = await sampleOf(other, name)
      for (const places of choices(ids).slice(1)) {
        const replaced = (id: (place: string) => string | undefined) => ({
          ...sample,
          params: { ...sample.params, ...Object.fromEntries(places.map((place) => [place, id(place) as string])) },
        })
        if (places.every(isOfAccount))
          await expectRefusal(
            name,
            replaced((place) => foreign.params?.[place]),
            [404],
            `foreign ${places}`,
          )
        await expectRefusal(
          name,
          // Changes only the end of a log entry's id, which is not a UUID.
          replaced((place) => (place === 'log_id' ? `${sample.params?.log_id?.slice(0, 18)}ffffff` : randomUUID())),
          [404],
          `unknown ${places}`,
        )
      }
    })

  if (ids.length > 0 && !legacy)
    it('accepts only identifiers at any place of its path', async () => {
      for (const place of ids) {
        for (const value of ['nonsense', '0', `${sample.params?.[place]}0`, '0198a000-0000-7000-8000-00000000000g']) {
          await expectRefusal(
            name,
            { ...sample, params: { ...sample.params, [place]: value } },
            [isName(place) ? 404 : 400],
            `${place} = ${value}`,
          )
        }
      }
    })

  if (ofAccount && !['GET', 'POST'].includes(method))
    it('changes nothing if If-Match does not match (A8.2)', async () => {
      for (const tag of ['"another.one"', 'W/"weak"', '"a", "b"']) {
        await expectRefusal(name, { ...sample, headers: { 'if-match': tag } }, [412], tag)
      }
    })

  it('returns its status and exactly the fields of its schema', async () => {
    if (keyed) sample = { ...sample, headers: { 'idempotency-key': randomUUID() } }
    answer = await world.send(name, sample)
    expect(answer.status, answer.text).toBe(status)
    if (answer.text === '') return expect([204, 303]).toContain(status)
    expect(toJson(v.parse(operation.response, JSON.parse(answer.text, bigCounters)))).toBe(answer.text)
  })

  it('returns no secret, unless it creates one', () => {
    expect(answer.text).not.toMatch(stored)
    expect(answer.text).not.toContain(plantedSecret)
    if (secret) expect(answer.headers['cache-control']).toBe('no-store')
    else expect(answer.text).not.toMatch(tokens)
  })

  it('returns the remaining rate limit (A9)', () => {
    const bucket = {
      api: 'account',
      portal: 'account',
      session: 'account',
      ingest: 'ingest',
      client: 'access',
      gateway: 'access',
      none: 'sign_in',
    }[credential]
    expect(answer.headers['ratelimit-policy']).toMatch(new RegExp(`^"${bucket}";q=\\d+;w=\\d+$`))
    expect(answer.headers.ratelimit).toMatch(new RegExp(`^"${bucket}";r=\\d+;t=\\d+$`))
  })

  if (ofAccount && method === 'GET')
    it('returns an entity tag and honours If-None-Match, unless it has no id (A8.2)', async () => {
      const { etag } = answer.headers
      const { data } = answer.body
      if (!('id' in data || 'log_id' in data)) return expect(etag).toBeUndefined()
      expect(etag).toMatch(/^"[\x21\x23-\x7e]+"$/)
      const again = await world.send(name, { ...sample, headers: { 'if-none-match': `"other", ${etag}` } })
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag])
    })

  if (keyed)
    it('replays the response to the same Idempotency-Key, which is valid for one request (A8.3)', async () => {
      const before = await sequences()
      const again = await world.send(name, sample)
      expect([again.status, again.text]).toEqual([answer.status, answer.text])
      expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' })
      expect(again.headers.location).toBe(answer.headers.location)
      const reused = await world.send(name, { ...sample, query: { other: 'request' } })
      expect([reused.status, reused.body.code]).toEqual([422, 'idempotency_key_reused'])
      expect(await sequences()).toEqual(before)
    })

  if (operation.location)
    it('returns the location of a created object', async () => {
      const { location } = answer.headers
      const read = entries.find(
        ({ operation }) => operation.method === 'GET' && patternOf(operation.path).test(location ?? ''),
      )
      if (credential !== 'api') return expect(location).toBe(`${path}/${answer.body.data.id}`)
      const params = patternOf(read?.operation.path ?? '').exec(location ?? '')?.groups
      const shown = await world.send(read?.name ?? '', { params: { ...params } })
      expect(answer.body.data).toMatchObject(shown.body.data)
    })

  if (credential === 'api' && (method === 'PATCH' || method === 'PUT'))
    it('changes nothing when it is repeated', async () => {
      const before = await sequences()
      const repeated = await world.send(name, sample)
      expect([repeated.status, repeated.text]).toEqual([200, answer.text])
      expect(await sequences()).toEqual(before)
    })
})

const patternOf = (path: string) => new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)

it('refuses the id of another account in a body', async () => {
  const tried: string[] = []
  for (const { name, operation } of entries.filter(({ operation }) => operation.body)) {
    const [sample, foreign] = await Promise.all([sampleOf(world, name), sampleOf(other, name)])
    for (const body of withForeignIds(sample.body, foreign.body)) {
      const expected = operation.credential === 'client' ? [404, 409] : [422]
      await expectRefusal(name, { ...sample, body }, expected, `${name} ${JSON.stringify(body)}`)
      tried.push(name)
    }
  }
  expect(tried).toEqual(
    expect.arrayContaining([
      'POST /access/evaluate',
      'POST /client/authorizations',
      'POST /policies',
      'POST /resources',
      'PUT /groups/{group_id}/memberships',
      'PATCH /groups/{group_id}/memberships',
      'PUT /resources/{resource_id}/pool_members',
      'PATCH /resources/{resource_id}/pool_members',
    ]),
  )
})

it('finds nothing by an id of another account', async () => {
  const tried: string[] = []
  for (const { name, operation } of entries) {
    const rows = async () => (await other.send(name, await sampleOf(other, name))).body.data
    for (const filter of Object.keys(operation.filters ?? {}).filter((key) => key.endsWith('_id'))) {
      const id = (await rows()).find((row: Record<string, string>) => isUuid(row[filter] ?? ''))?.[filter]
      if (!id) continue
      const { body } = await world.send(name, { ...(await sampleOf(world, name)), query: { [filter]: id } })
      // Lists without a total have only the rows.
      expect([body.data, body.metadata.total ?? 0], `${name} ${filter}`).toEqual([[], 0])
      tried.push(`${name}?${filter}`)
    }
  }
  expect(tried).toEqual(
    expect.arrayContaining(['GET /policies?group_id', 'GET /policies?resource_id', 'GET /resources?site_id']),
  )
})

it('logs no secret of these requests', async () => {
  await writeChangeLogOf(world.account.id)
  for (const type of ['change', 'api_request', 'session']) {
    let page_cursor: string | null = null
    let entries = 0
    do {
      const query: Record<string, string> = { type, limit: '1000', ...(page_cursor && { page_cursor }) }
      const { status, body, text } = await world.send('GET /logs', { query })
      expect(status).toBe(200)
      expect(text).not.toContain(plantedSecret)
      expect(text).not.toMatch(tokens)
      expect(text).not.toMatch(/"(secret_hash|client_secret|service_account_key)":"(?!\[redacted\])/)
      entries += body.data.length
      page_cursor = body.metadata.next_page
    } while (page_cursor)
    expect(entries, type).toBeGreaterThan(0)
  }
})
