import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry'
import type { SdkError } from '@smithy/types'

export type TransientKind = 'conflict' | 'throttle' | 'fault'

/** Errors of conflicting writes to the same item, which the SDK does not retry. */
const conflicts = ['ReplicatedWriteConflictException', 'TransactionConflictException', 'TransactionInProgressException']

/** Transient cancellation reasons of a DynamoDB transaction. */
const transientReasons: Record<string, TransientKind> = {
  TransactionConflict: 'conflict',
  ProvisionedThroughputExceeded: 'throttle',
  ThrottlingError: 'throttle',
}

/** Returns the codes of the failed writes of a cancelled transaction; null for any other error. */
function reasonsOf(error: unknown): string[] | null {
  if (!(error instanceof Error) || error.name !== 'TransactionCanceledException') return null
  const { CancellationReasons: reasons = [] } = error as { CancellationReasons?: { Code?: string }[] }
  return reasons.map(({ Code = 'None' }) => Code).filter((code) => code !== 'None')
}

/** Classifies cancellation reasons. Returns null unless all of them are transient, because a failed condition would fail again. */
function kindOfReasons(reasons: string[]): TransientKind | null {
  const kinds = reasons.map((reason) => transientReasons[reason] ?? null)
  return kinds.includes(null) ? null : (kinds.find((kind) => kind === 'throttle') ?? kinds[0] ?? null)
}

/** Classifies a transient error of AWS or of the connection. Returns null for an error that every retry would repeat. */
export function transientKind(error: unknown): TransientKind | null {
  if (!(error instanceof Error)) return null
  const reasons = reasonsOf(error)
  if (reasons) return kindOfReasons(reasons)
  if (conflicts.includes(error.name)) return 'conflict'
  // Recognizes the KMS error with which Kinesis throttles if a customer-managed key encrypts the stream.
  if (isThrottlingError(error as SdkError) || error.name === 'KMSThrottlingException') return 'throttle'
  return isTransientError(error as SdkError) || isServerError(error as SdkError) ? 'fault' : null
}

export const isTransient = (error: unknown): boolean => transientKind(error) !== null

/** True for a cancelled transaction that may succeed after fresh reads: a condition failed, or other writes conflicted. */
export function isConflict(error: unknown): boolean {
  const reasons = reasonsOf(error) ?? []
  return (
    reasons.length > 0 && reasons.every((reason) => reason === 'ConditionalCheckFailed' || reason in transientReasons)
  )
}

/** True for a failed write that may have succeeded. A cancelled transaction has changed nothing. */
export const mayBeDone = (error: unknown): boolean => isTransient(error) && reasonsOf(error) === null
