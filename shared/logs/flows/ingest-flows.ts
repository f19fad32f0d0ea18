import { isUtf8 } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { clock } from '../../core/clock.ts'
import { ApiError, type FieldErrors } from '../../core/errors.ts'
import { isObject } from '../../core/json/is-object.ts'
import { countJsonValues } from '../../core/json/json-values.ts'
import { measure } from '../../core/logging/invocation.ts'
import { checkFlowReport } from './check-flow-report.ts'
import type { FlowReport } from './flow-report.ts'
import { putFlows } from './flow-stream.ts'
import type { IngestClaims } from './ingest-token.ts'
import { pack } from './packing.ts'
import { parseReports } from './parse-reports.ts'
import { messagesPerRecord } from './record-faults.ts'
import { maxReports, type RejectedReports } from './report-schema.ts'

const maxUnpacked = 20_000_000
/** As they are counted, 5 MB have no more; 20 MB of valid records have a third of it. */
const maxValues = 3_400_000
/** Rejected records that an answer tells the faults of. */
const explainedRecords = 100

type Headers = Record<string, string | undefined>

const encodingOf = (headers: Headers): string => headers['content-encoding']?.trim().toLowerCase() || 'identity'

function unpacked(body: Buffer, headers: Headers): Buffer {
  const encoding = encodingOf(headers)
  if (encoding === 'identity') return body
  if (encoding !== 'gzip') throw new ApiError('bad_request', 'Content-Encoding must be identity or gzip.')
  try {
    // A function has one request at a time, so nothing waits for this; in another thread it costs twice as much.
    return gunzipSync(body, { maxOutputLength: maxUnpacked })
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    if (isTooLarge) throw new ApiError('payload_too_large')
    throw new ApiError('bad_request', 'The gzip body is damaged.')
  }
}

function recordsOf(body: Buffer): unknown[] {
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
    throw new ApiError('too_many_records', `At most ${maxReports} records fit one request.`)
  return records
}

/**
 * Takes the flow reports of one request (L8): answers when every valid one is durably in the stream.
 * @throws ApiError for each failing step; `validation_failed` tells how many were accepted all the same
 */
export async function ingestFlows(claims: IngestClaims, body: Buffer, headers: Headers) {
  const records = recordsOf(unpacked(body, headers))
  const reports: FlowReport[] = []
  const errors: Record<string, FieldErrors> = {}
  let rejected = 0
  let errors_truncated = false
  records.forEach((record, index) => {
    const checked = checkFlowReport(record, rejected < explainedRecords ? messagesPerRecord : 0)
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
