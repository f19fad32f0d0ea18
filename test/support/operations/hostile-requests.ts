import { expect } from 'vitest'
import { listErrorCodes } from '#infra/openapi/errors.ts'
import { v0ErrorResponses } from '#infra/openapi/v0-errors.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { accountVersionKey } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { SeededRandom } from '#test/simulation/world/seeded-random.ts'
import { type Answer, call } from '../accounts/account.ts'
import { seedOf } from '../run/seeds.ts'
import { useCheapHashes } from '../sign-in/mails.ts'
import { newSource } from '../sign-in/sign-in.ts'
import { hostileBodies, hostileHeaders, hostileJson, hostilePathIds, hostileQueries, hostileValues } from './hostile.ts'
import type { Entry } from './operations.ts'
import { type Request, sampleRequests } from './sample-requests.ts'

type Hostile = Omit<Request, 'query'> & { query?: Record<string, string> | string }
type Fields = Record<string, unknown>

export type HostileCounts = { perField: number; perId: number; others: number }

/** Draws random values for an operation. The draws are reproducible with the same seed, name and counts. */
class Draw {
  readonly counts: HostileCounts
  readonly #random: SeededRandom

  constructor(name: string, counts: HostileCounts) {
    this.counts = counts
    const start = [...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seedOf('FUZZ_SEED'))
    this.#random = new SeededRandom(start)
  }

  draw<T>(values: readonly T[], count: number): T[] {
    return Array.from({ length: count }, () => this.#random.pick(values))
  }
}

const fieldsOf = ({ operation: { body } }: Entry, sent: unknown): string[] => [
  ...new Set([...Object.keys(body?.fields?.entries ?? {}), ...Object.keys((sent ?? {}) as Fields)]),
]

function bodiesOf(entry: Entry, sample: Request, draw: Draw): Hostile[] {
  const { body } = entry.operation
  if (!body) return []
  const { envelope } = body
  const { perField, others } = draw.counts
  const whole = sample.body as Fields | undefined
  const sent = (envelope === null ? whole : whole?.[envelope]) as Fields | undefined
  const shaped = (value: unknown) => ({
    ...sample,
    body: undefined,
    rawBody: hostileJson(envelope === null ? value : { [envelope]: value }),
  })
  return [
    ...draw.draw(hostileValues, others).map(shaped),
    ...draw.draw(hostileValues, others).map((value) => shaped([value, value])),
    ...draw.draw(hostileBodies, others).map((rawBody) => ({ ...sample, body: undefined, rawBody })),
    ...fieldsOf(entry, Array.isArray(sent) ? sent[0] : sent).flatMap((field) =>
      draw
        .draw(hostileValues, perField)
        .map((value) => shaped(Array.isArray(sent) ? [{ ...sent[0], [field]: value }] : { ...sent, [field]: value })),
    ),
  ]
}

function requestsOf(entry: Entry, sample: Request, draw: Draw): Hostile[] {
  const { perId, others } = draw.counts
  return [
    ...draw.draw(hostileQueries, others).map((query) => ({ ...sample, query })),
    ...draw.draw(hostileHeaders, others).map((headers) => ({ ...sample, headers })),
    ...Object.keys(sample.params ?? {}).flatMap((name) =>
      draw.draw(hostilePathIds, perId).map((id) => ({ ...sample, params: { ...sample.params, [name]: id } })),
    ),
    ...bodiesOf(entry, sample, draw),
  ]
}

const sequence = async (accountId: string) => (await getItem(accountVersionKey(accountId)))?.sequence

const show = (request: Hostile, { status, text }: Answer): string =>
  `${JSON.stringify(request).slice(0, 600)} → ${status} ${text.slice(0, 300)} (FUZZ_SEED=${seedOf('FUZZ_SEED')})`

type World = Awaited<ReturnType<typeof sampleRequests>>

/** Sends hostile requests. Expects each to succeed, or to return a documented error without changing anything. */
export async function expectHostileRequestsAnswered(entry: Entry, counts: HostileCounts, given?: World): Promise<void> {
  const { account, portal, samples } = given ?? (await sampleRequests())
  const sample = await samples[entry.name]?.()
  expect(sample, `a sample of ${entry.name}`).toBeDefined()
  const codes: string[] = listErrorCodes(entry.operation)
  const statuses = Object.keys(v0ErrorResponses(entry.operation, {}))
  const { method, path, credential } = entry.operation
  // Uses a new address for each request, because requests without a credential are rate-limited by address.
  const from = () => (credential === 'none' ? { sourceIp: newSource() } : {})
  useCheapHashes()
  const requests = requestsOf(entry, sample as Request, new Draw(entry.name, counts))
  // Alternates between the API token and the portal session, because the account API accepts both.
  const tokens = [account.token, portal.token]
  let before = await sequence(account.id)
  for (const [i, request] of requests.entries()) {
    const answer = await call(entry.handler, { token: tokens[i % 2], method, path, ...request, ...from() })
    expect(answer.status, show(request, answer)).toBeLessThan(500)
    if (answer.status < 400) {
      before = await sequence(account.id)
      continue
    }
    if (isV0(path)) expect(statuses, show(request, answer)).toContain(String(answer.status))
    else expect(codes, show(request, answer)).toContain(answer.body.code)
    expect(await sequence(account.id), show(request, answer)).toBe(before)
  }
  expect(({} as Fields).is_admin).toBeUndefined()
}
