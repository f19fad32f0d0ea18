import type { TransactionCanceledException } from './refused-write.ts'

/** Reasons for a cancelled transaction that can succeed when it is tried again on fresh state. */
const passing = [
  'None',
  'ConditionalCheckFailed',
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]

/** True when a transaction lost a race, or met others for as long as it was repeated, without effect. Any other, of too large an item for example, would fail again. */
export const isLostRace = ({ CancellationReasons = [] }: TransactionCanceledException): boolean =>
  CancellationReasons.length > 0 && CancellationReasons.every(({ Code }) => passing.includes(Code ?? 'None'))
