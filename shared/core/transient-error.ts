import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry'
import type { SdkError } from '@smithy/types'

export type TransientKind = 'conflict' | 'throttle' | 'fault'

/** Conflicts of writes to one item, which the SDK does not retry. */
const conflicts = ['ReplicatedWriteConflictException', 'TransactionConflictException', 'TransactionInProgressException']

/** Transient reasons of a cancelled transaction. */
const passingReasons: Record<string, TransientKind> = {
  TransactionConflict: 'conflict',
  ProvisionedThroughputExceeded: 'throttle',
  ThrottlingError: 'throttle',
}

/** Codes of the failed writes of a cancelled transaction; null for any other error. */
function reasonsOf(error: unknown): string[] | null {
  if (!(error instanceof Error) || error.name !== 'TransactionCanceledException') return null
  const { CancellationReasons: reasons = [] } = error as { CancellationReasons?: { Code?: string }[] }
  return reasons.map(({ Code = 'None' }) => Code).filter((code) => code !== 'None')
}

/** Classifies the reasons; null unless all are transient, because a failed condition fails again. */
function kindOfReasons(reasons: string[]): TransientKind | null {
  const kinds = reasons.map((reason) => passingReasons[reason] ?? null)
  return kinds.includes(null) ? null : (kinds.find((kind) => kind === 'throttle') ?? kinds[0] ?? null)
}

/** Classifies a transient error of AWS or of the connection; null for an error that every retry would repeat. */
export function transientKind(error: unknown): TransientKind | null {
  if (!(error instanceof Error)) return null
  const reasons = reasonsOf(error)
  if (reasons) return kindOfReasons(reasons)
  if (conflicts.includes(error.name)) return 'conflict'
  // Kinesis throttles with this name if a customer key encrypts its stream.
  if (isThrottlingError(error as SdkError) || error.name === 'KMSThrottlingException') return 'throttle'
  return isTransientError(error as SdkError) || isServerError(error as SdkError) ? 'fault' : null
}

export const isTransient = (error: unknown): boolean => transientKind(error) !== null

/** True for a cancelled transaction that may succeed on fresh state: a condition failed, or it conflicted with other writes. */
export function isConflict(error: unknown): boolean {
  const reasons = reasonsOf(error) ?? []
  return (
    reasons.length > 0 && reasons.every((reason) => reason === 'ConditionalCheckFailed' || reason in passingReasons)
  )
}

/** True for a failed write that may have succeeded. A cancelled transaction has not. */
export const mayBeDone = (error: unknown): boolean => isTransient(error) && reasonsOf(error) === null
