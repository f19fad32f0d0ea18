import { type Key, partition } from '../../table/keys.ts'

/** The partition of the passcodes of an account: one of each actor at most (I2.5). */
export const passcodesPartition = (account: string): string => partition(account, 'passcodes')

export const passcodeKey = (account: string, actorId: string): Key => ({ pk: passcodesPartition(account), sk: actorId })

/** A passcode that was mailed. It is no entity: nothing of it is on record (L6.2(2)). */
export type Passcode = Key & {
  kind: 'passcode'
  id: string
  /** The address that it was sent to, in lower case: it proves no other. */
  email: string
  /** The only use that it is valid for. */
  use: string
  hash: string
  /** How often somebody has tried it. */
  attempts: number
  /** In microseconds. */
  expires_at: number
  ttl: number
}
