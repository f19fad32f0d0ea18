import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry'
import type { SdkError } from '@smithy/types'

export type TransientKind = 'conflict' | 'throttle' | 'fault'

/** Conflicts of writes to one item, which the SDK does not retry. */
const conflicts = ['ReplicatedWriteConflictException', 'TransactionConflictException', 'TransactionInProgressException']

/** Reasons of a cancelled transaction that pass by themselves. */
const passingReasons: Record<string, TransientKind> = {
  TransactionConflict: 'conflict',
  ProvisionedThroughputExceeded: 'throttle',
  ThrottlingError: 'throttle',
}

/** Codes of the refused writes of a cancelled transaction; null for another error. */
function reasonsOf(error: unknown): string[] | null {
  if (!(error instanceof Error) || error.name !== 'TransactionCanceledException') return null
  const { CancellationReasons: reasons = [] } = error as { CancellationReasons?: { Code?: string }[] }
  return reasons.map(({ Code = 'None' }) => Code).filter((code) => code !== 'None')
}

/** A condition that did not hold will not hold later, so every reason has to pass. */
function kindOfReasons(reasons: string[]): TransientKind | null {
  const kinds = reasons.map((reason) => passingReasons[reason] ?? null)
  return kinds.includes(null) ? null : (kinds.find((kind) => kind === 'throttle') ?? kinds[0] ?? null)
}

/** Reason why an error of AWS, or of the connection, may pass by itself; null for an error that every retry repeats. */
export function transientKind(error: unknown): TransientKind | null {
  if (!(error instanceof Error)) return null
  const reasons = reasonsOf(error)
  if (reasons) return kindOfReasons(reasons)
  if (conflicts.includes(error.name)) return 'conflict'
  // Kinesis throttles by this name where a customer key encrypts its stream.
  if (isThrottlingError(error as SdkError) || error.name === 'KMSThrottlingException') return 'throttle'
  return isTransientError(error as SdkError) || isServerError(error as SdkError) ? 'fault' : null
}

export const isTransient = (error: unknown): boolean => transientKind(error) !== null

/** True for a transaction without effect that can succeed on fresh state: conditions failed, or it met other writes. */
export function isConflict(error: unknown): boolean {
  const reasons = reasonsOf(error) ?? []
  return (
    reasons.length > 0 && reasons.every((reason) => reason === 'ConditionalCheckFailed' || reason in passingReasons)
  )
}

/** True for a failed write that may have arrived. A cancelled transaction has not. */
export const mayBeDone = (error: unknown): boolean => isTransient(error) && reasonsOf(error) === null
