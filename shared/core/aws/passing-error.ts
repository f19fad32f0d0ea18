import { fieldsOf } from '../json/is-object.ts'

/** An item takes part in one write at a time: who meets another at it comes again, and there is nothing wrong. */
const conflicts = ['ReplicatedWriteConflict', 'TransactionConflict', 'TransactionInProgress']

const throttles = [
  // Of a stream that is encrypted with a key of its own.
  'KMSThrottling',
  'LimitExceeded',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  'Throttling',
  'ThrottlingError',
  'TooManyRequests',
]

const faults = [
  'InternalServerError',
  'RequestTimeout',
  'ServiceUnavailable',
  'TimeoutError',
  // A connection that broke or was not made.
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  // The same of `fetch`, as the cause of its error.
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]

export type Passing = 'conflict' | 'throttle' | 'fault'

const kinds = new Map<string, Passing>([
  ...conflicts.map((name) => [name, 'conflict'] as const),
  ...throttles.map((name) => [name, 'throttle'] as const),
  ...faults.map((name) => [name, 'fault'] as const),
])

/** Of a name of an error, a code of a connection or a reason of a cancelled transaction that AWS documents as passing. */
const kindOf = (name: unknown): Passing | undefined => kinds.get(String(name).replace(/Exception$/, ''))

/** Of a transaction that was cancelled, each reason counts: a condition that did not hold will not hold later. */
function kindOfReasons(reasons: unknown): Passing | null {
  const codes = (Array.isArray(reasons) ? reasons : []).map((reason) => fieldsOf(reason).Code ?? 'None')
  const found = codes.filter((code) => code !== 'None').map((code) => kindOf(code) ?? null)
  return found.includes(null) ? null : (found.find((kind) => kind === 'throttle') ?? found[0] ?? null)
}

/**
 * Why an error of AWS, or of the way to it, may pass by itself; null for what would end the same way every time (access
 * denied, no such table, an invalid request).
 */
export function passingKind(error: unknown): Passing | null {
  const { name, code, cause, $metadata, CancellationReasons, body } = fieldsOf(error)
  if (name === 'TransactionCanceledException') {
    return kindOfReasons(CancellationReasons ?? fieldsOf(body).CancellationReasons)
  }
  const { httpStatusCode, clockSkewCorrected } = fieldsOf($metadata)
  if (httpStatusCode === 429) return 'throttle'
  const isFault = Number(httpStatusCode) >= 500 || clockSkewCorrected === true
  return kindOf(name) ?? kindOf(code) ?? kindOf(fieldsOf(cause).code) ?? (isFault ? 'fault' : null)
}

export const isPassing = (error: unknown): boolean => passingKind(error) !== null

/** Whether a write that ended so may have been done: one that passes may have been heard, a cancelled transaction was not done. */
export const mayBeDone = (error: unknown): boolean =>
  isPassing(error) && fieldsOf(error).name !== 'TransactionCanceledException'
