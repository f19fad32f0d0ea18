import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { codesOf } from '#infra/openapi/errors.ts'
import { v0ErrorResponses } from '#infra/openapi/v0-errors.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { headKey } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { type Answer, call } from '#test/support/account.ts'
import {
  hostileBodies,
  hostileHeaders,
  hostileJson,
  hostilePathIds,
  hostileQueries,
  hostileValues,
} from '#test/support/hostile.ts'
import { type Entry, loadEntries } from '#test/support/operations.ts'
import { type Request, sampleRequests } from '#test/support/sample-requests.ts'

type Hostile = Omit<Request, 'query'> & {
  rawBody?: string
  headers?: Record<string, string>
  query?: Record<string, string> | string
}
type Fields = Record<string, unknown>

/** Hostile values that each field is sent; the seed chooses which, so that every run tries others. */
const valuesPerField = 1
const othersPerOperation = 2

const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31))
const entries = await loadEntries()
process.stdout.write(`Hostile requests are chosen with FUZZ_SEED=${seed}\n`)

/** Numbers from 0 to 1, the same for the same seed and name (mulberry32). */
function randomOf(name: string): () => number {
  let state = [...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const pick = <T>(values: readonly T[], count: number, random: () => number): T[] =>
  Array.from({ length: count }, () => values[Math.floor(random() * values.length)] as T)

/** The fields that a body can have: those of the contract, and those of its sample. */
const fieldsOf = ({ operation: { body } }: Entry, sent: unknown): string[] => [
  ...new Set([...Object.keys(body?.fields?.entries ?? {}), ...Object.keys((sent ?? {}) as Fields)]),
]

function bodiesOf(entry: Entry, sample: Request, random: () => number): Hostile[] {
  const { body } = entry.operation
  if (!body) return []
  const { envelope } = body
  const whole = sample.body as Fields | undefined
  const sent = (envelope === null ? whole : whole?.[envelope]) as Fields | undefined
  const shaped = (value: unknown) => ({
    ...sample,
    body: undefined,
    rawBody: hostileJson(envelope === null ? value : { [envelope]: value }),
  })
  return [
    ...pick(hostileValues, othersPerOperation, random).map(shaped),
    ...pick(hostileValues, othersPerOperation, random).map((value) => shaped([value, value])),
    ...pick(hostileBodies, othersPerOperation, random).map((rawBody) => ({ ...sample, body: undefined, rawBody })),
    ...fieldsOf(entry, Array.isArray(sent) ? sent[0] : sent).flatMap((field) =>
      pick(hostileValues, valuesPerField, random).map((value) =>
        shaped(Array.isArray(sent) ? [{ ...sent[0], [field]: value }] : { ...sent, [field]: value }),
      ),
    ),
  ]
}

function requestsOf(entry: Entry, sample: Request, random: () => number): Hostile[] {
  const ids = Object.keys(sample.params ?? {})
  return [
    ...pick(hostileQueries, othersPerOperation, random).map((query) => ({ ...sample, query })),
    ...pick(hostileHeaders, othersPerOperation, random).map((headers) => ({ ...sample, headers })),
    ...ids.flatMap((name) =>
      pick(hostilePathIds, 3, random).map((id) => ({ ...sample, params: { ...sample.params, [name]: id } })),
    ),
    ...bodiesOf(entry, sample, random),
  ]
}

const sequence = async (accountId: string) => (await getItem(headKey(accountId)))?.sequence

const show = (request: Hostile, { status, text }: Answer): string =>
  `${JSON.stringify(request).slice(0, 600)} → ${status} ${text.slice(0, 300)} (FUZZ_SEED=${seed})`

describe.each(entries)('$name', (entry) => {
  it('answers hostile requests with a success or an error of its contract, which changes nothing', async () => {
    const { account, samples } = await sampleRequests()
    const sample = await samples[entry.name]?.()
    expect(sample, `a sample of ${entry.name}`).toBeDefined()
    const codes: string[] = codesOf(entry.operation)
    const statuses = Object.keys(v0ErrorResponses(entry.operation, {}))
    const { method, path } = entry.operation
    for (const request of requestsOf(entry, sample as Request, randomOf(entry.name))) {
      const before = await sequence(account.id)
      const answer = await call(entry.handler, { token: account.token, method, path, ...request })
      expect(answer.status, show(request, answer)).toBeLessThan(500)
      if (answer.status < 400) continue
      if (isV0(path)) expect(statuses, show(request, answer)).toContain(String(answer.status))
      else expect(codes, show(request, answer)).toContain(answer.body.code)
      expect(await sequence(account.id), show(request, answer)).toBe(before)
    }
    expect(({} as Fields).is_admin).toBeUndefined()
  })
})
