import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb'

/** Why a part of a transaction can fail that succeeds when it is tried again on fresh state. */
const passing = [
  'None',
  'ConditionalCheckFailed',
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]

/** Whether a transaction lost a race or was throttled, without effect. Anything else, an item too large for example, would fail again. */
export const isLostRace = ({ CancellationReasons = [] }: TransactionCanceledException): boolean =>
  CancellationReasons.every(({ Code }) => passing.includes(Code ?? 'None'))
