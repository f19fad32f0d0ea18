import { fieldsOf } from '../json/is-object.ts'

/** An item takes part in one write at a time: who meets another at it comes again, and there is nothing wrong. */
const conflicts = ['TransactionConflict', 'TransactionConflictException', 'TransactionInProgressException']

const throttles = [
  'LimitExceededException',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'Throttling',
  'ThrottlingError',
  'ThrottlingException',
  'TooManyRequestsException',
]

const faults = [
  'InternalFailure',
  'InternalServerError',
  'RequestTimeout',
  'ServiceUnavailable',
  'ServiceUnavailableException',
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
]

export type Passing = 'conflict' | 'throttle' | 'fault'

/** The names of errors, codes of connections and reasons of cancelled transactions that AWS documents as passing. */
const kinds = new Map<unknown, Passing>([
  ...conflicts.map((name) => [name, 'conflict'] as const),
  ...throttles.map((name) => [name, 'throttle'] as const),
  ...faults.map((name) => [name, 'fault'] as const),
])

/** Of a transaction that was cancelled, each reason counts: a condition that did not hold will not hold later. */
function kindOfReasons(reasons: unknown): Passing | null {
  const codes = (Array.isArray(reasons) ? reasons : []).map((reason) => fieldsOf(reason).Code ?? 'None')
  const found = codes.filter((code) => code !== 'None').map((code) => kinds.get(code) ?? null)
  return found.includes(null) ? null : (found.find((kind) => kind === 'throttle') ?? found[0] ?? null)
}

/**
 * Why an error of AWS, or of the way to it, may pass by itself; null for what would end the same way every time (access
 * denied, no such table, an invalid request).
 */
export function passingKind(error: unknown): Passing | null {
  const { name, code, $metadata, CancellationReasons, body } = fieldsOf(error)
  if (name === 'TransactionCanceledException') {
    return kindOfReasons(CancellationReasons ?? fieldsOf(body).CancellationReasons)
  }
  const { httpStatusCode, clockSkewCorrected } = fieldsOf($metadata)
  if (httpStatusCode === 429) return 'throttle'
  const isFault = Number(httpStatusCode) >= 500 || clockSkewCorrected === true
  return kinds.get(name) ?? kinds.get(code) ?? (isFault ? 'fault' : null)
}

export const isPassing = (error: unknown): boolean => passingKind(error) !== null
