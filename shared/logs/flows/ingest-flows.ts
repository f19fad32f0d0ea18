import { isUtf8 } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import * as v from 'valibot'
import { clock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { FieldErrors } from '../../core/faults.ts'
import { isObject } from '../../core/json/is-object.ts'
import { countJsonValues } from '../../core/json/json-values.ts'
import { shallowJson } from '../../core/json/shallow-json.ts'
import { measure } from '../../core/logging/invocation.ts'
import { checkFlowReport, maxMessages } from './check-flow-report.ts'
import { type FlowReport, maxReports } from './flow-report.ts'
import { putFlows } from './flow-stream.ts'
import type { IngestClaims } from './ingest-token.ts'
import { pack } from './packing.ts'

const maxUnpacked = 20_000_000
/** Maximum number of JSON values in a body, about three times the number in 20 MB of valid records. */
const maxValues = 3_400_000
const explainedRecords = 100

/** Members of the 422 response when some records are invalid (L8). */
export const RejectedReports = v.object({
  accepted: v.number(),
  rejected: v.number(),
  errors: v.pipe(
    v.record(v.string(), v.record(v.string(), v.array(v.string()))),
    v.metadata({
      description: 'Zero-based index of the record → field → messages, of the first 100 records that are not valid.',
      examples: [{ 3: { inner_src_port: ["can't be blank"] } }],
    }),
  ),
  errors_truncated: v.boolean(),
})
type RejectedReports = v.InferOutput<typeof RejectedReports>

type Headers = Record<string, string | undefined>

function decompress(body: Buffer, headers: Headers): Buffer {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity'
  if (encoding === 'identity') return body
  if (encoding !== 'gzip') throw new ApiError('bad_request', 'Content-Encoding must be identity or gzip.')
  try {
    // Decompresses synchronously, because a function handles one request at a time and a second thread would double the cost.
    return gunzipSync(body, { maxOutputLength: maxUnpacked })
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    if (isTooLarge) throw new ApiError('payload_too_large')
    throw new ApiError('bad_request', 'The gzip body is damaged.')
  }
}

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown

const counters = ['rx_packets', 'tx_packets', 'rx_bytes', 'tx_bytes']

/** True for a record with a count above 2^53, which JSON parsing may have rounded. */
const isInexact = (record: unknown): boolean =>
  isObject(record) &&
  counters.some((name) => typeof record[name] === 'number' && record[name] > Number.MAX_SAFE_INTEGER)

const numberForm = /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Parses a JSON number in any notation into an exact integer; null for a fraction. */
function exactInteger(source: string): bigint | null {
  const [, whole = '', fraction = '', exponent = '0'] = numberForm.exec(source) ?? []
  const zeros = Number(exponent) - fraction.length
  const digits = (whole + fraction).replace(/^(-?)0+(?=\d)/, '$1')
  if (zeros < 0 && /[1-9]/.test(digits.slice(zeros))) return null
  const integer = zeros < 0 ? digits.slice(0, zeros) || '0' : digits + '0'.repeat(Math.min(zeros, 400))
  // Truncates the number, because converting millions of digits takes seconds. Any number of 400 digits exceeds 64 bits.
  return BigInt(integer.slice(0, 400))
}

const exactIntegers: Reviver = (_key, value, context) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && context?.source !== undefined
    ? (exactInteger(context.source) ?? Number.NaN)
    : value

/** Parses a body. If counts exceed 2^53, parses the body a second time and returns these counts as bigint. @throws SyntaxError */
export function parseReports(text: string): unknown {
  const document = JSON.parse(text)
  const records: unknown = document?.flow_logs
  return Array.isArray(records) && records.some(isInexact) ? JSON.parse(shallowJson(text), exactIntegers) : document
}

function parseRecords(body: Buffer): unknown[] {
  if (!isUtf8(body)) throw new ApiError('invalid_json')
  if (countJsonValues(body) > maxValues) throw new ApiError('payload_too_large')
  let document: unknown
  try {
    document = parseReports(body.toString())
  } catch {
    throw new ApiError('invalid_json')
  }
  if (!isObject(document)) throw new ApiError('invalid_json', 'The request body must be a JSON object.')
  const { flow_logs: records } = document
  if (!Array.isArray(records)) throw new ApiError('bad_request', 'flow_logs must be a list.')
  if (records.length > maxReports)
    throw new ApiError('too_many_records', `A request can have at most ${maxReports} records.`)
  return records
}

/**
 * Ingests the flow reports of a request (L8). Resolves when every valid report is stored durably in the stream.
 * @throws ApiError `bad_request`, `invalid_json`, `payload_too_large`, `too_many_records`, `unavailable`
 * @throws ApiError `validation_failed` with the number of accepted reports if some reports are invalid
 */
export async function ingestFlows(claims: IngestClaims, body: Buffer, headers: Headers) {
  const records = parseRecords(decompress(body, headers))
  const reports: FlowReport[] = []
  const errors: Record<string, FieldErrors> = {}
  let rejected = 0
  let errors_truncated = false
  records.forEach((record, index) => {
    const checked = checkFlowReport(record, rejected < explainedRecords ? maxMessages : 0)
    if ('report' in checked) {
      reports.push(checked.report)
      return
    }
    if (++rejected <= explainedRecords) errors[index] = checked.errors
    errors_truncated ||= checked.truncated
  })
  await putFlows(claims.policy_authorization_id, pack(claims, clock.now(), reports))
  measure('flows_ingested', reports.length)
  if (rejected > 0) {
    throw new ApiError('validation_failed', undefined, {
      members: { accepted: reports.length, rejected, errors, errors_truncated } satisfies RejectedReports,
    })
  }
  return { data: { status: 'ok' as const, accepted: reports.length } }
}
