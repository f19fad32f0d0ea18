import { type Key, partition } from '../../table/keys.ts'

/** Partition of an account's passcodes, at most one per actor (I2.5). */
export const passcodesPartition = (account: string): string => partition(account, 'passcodes')

export const passcodeKey = (account: string, actorId: string): Key => ({ pk: passcodesPartition(account), sk: actorId })

/** A mailed passcode. Stored as a plain item, not an entity, so that the change log does not contain it (L6.2(2)). */
export type Passcode = Key & {
  kind: 'passcode'
  id: string
  /** Recipient's address in lower case. The passcode cannot verify a different address. */
  email: string
  /** Purpose of the passcode. The passcode is not valid for a different purpose. */
  use: string
  hash: string
  attempts: number
  /** Expiry in microseconds. */
  expires_at: number
  ttl: number
}
