import { isV0 } from '#shared/http/v0-headers.ts'
import type { Answer } from '../accounts/account.ts'
import type { Entry } from '../operations/operations.ts'
import type { Request, sampleRequests } from '../operations/sample-requests.ts'
import { cpuUnit, measureCpu, secondOfCpu } from './cpu-cost.ts'
import { largestBodies } from './largest-bodies.ts'
import { largestValue } from './largest-values.ts'

type World = Awaited<ReturnType<typeof sampleRequests>>
type LargeRequest = Request & { what: string }
type Measured = { what: string; answer: Answer; units: number }

const surfaces = new Map<string, string>()

/** True for the first operation of each surface. Each credential type is a surface, and so is the legacy API. */
function isFirstOfSurface({ name, operation: { credential = 'api', path } }: Entry): boolean {
  const surface = isV0(path) ? 'v0' : credential
  if (!surfaces.has(surface)) surfaces.set(surface, name)
  return surfaces.get(surface) === name
}

const envelopeOf = ({ operation: { body, credential } }: Entry) =>
  credential === 'ingest' ? 'flow_logs' : (body?.envelope ?? null)

const longHeaders = {
  accept: `${'text/html;q=0.1,'.repeat(2_000)}application/json`,
  'if-none-match': '"a", '.repeat(2_000),
  'x-request-id': 'x'.repeat(10_000),
  'user-agent': 'x'.repeat(10_000),
}
const longQuery = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`p${i}`, 'x'.repeat(20)]))

export const canBeLarge = ({ operation: { body, credential, filters } }: Entry): boolean =>
  body !== undefined || credential === 'ingest' || filters !== undefined

/** Returns the largest valid request for an operation, and the largest invalid requests. */
export async function largeRequests(entry: Entry, { samples }: World): Promise<LargeRequest[]> {
  const sample = (await samples[entry.name]?.()) ?? {}
  if (entry.operation.filters)
    return [{ ...sample, what: 'long headers and query', headers: longHeaders, query: longQuery }]
  const envelope = envelopeOf(entry)
  const body = sample.body as Record<string, unknown> | undefined
  const sent = envelope === null ? body : body?.[envelope]
  const largest = largestValue(entry.operation, sent)
  return [
    { ...sample, what: 'the largest valid body', body: envelope === null ? largest : { [envelope]: largest } },
    ...largestBodies(entry.operation, sent, isFirstOfSurface(entry)).map((invalid) => ({
      ...sample,
      ...invalid,
      body: undefined,
    })),
  ]
}

/**
 * Measures a request in CPU units. Sends a slow request up to three times, and returns the minimum after subtracting the time for parsing
 * the body.
 */
export async function measureRequest(world: World, entry: Entry, request: LargeRequest): Promise<Measured> {
  const { what, ...sent } = request
  const unit = await cpuUnit()
  let answer: Answer | undefined
  const send = async () => {
    const latest = await world.send(entry.name, sent)
    answer ??= latest
  }
  let units = (await measureCpu(send)) / unit
  for (let tries = 1; tries < 3 && units > secondOfCpu; tries++) {
    const parsing = await measureCpu(() => request.rawBody !== undefined && JSON.parse(request.rawBody))
    units = Math.min(units, ((await measureCpu(send)) - parsing) / unit)
  }
  return { what, answer: answer as Answer, units }
}
