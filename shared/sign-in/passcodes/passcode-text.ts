import { randomInt } from 'node:crypto'
import { type AuthProviderRow, authProviders } from '../../domain/auth-providers/auth-provider.ts'
import { itemRow } from '../../table/entity.ts'
import { partition } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'
import type { SignInContext } from '../sign-in-context.ts'

/** Characters that cannot be confused with each other (I2.5). */
const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const length = 6
const form = new RegExp(`^[${alphabet}]{${length}}$`, 'i')

export const newPasscode = (): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')

/** Normalizes an entered passcode, in any case and with blanks; null for other text. */
export function readPasscode(entered: string): string | null {
  const text = entered.replace(/\s/g, '')
  return form.test(text) ? text.toUpperCase() : null
}

/** Purpose that a passcode is bound to (I2.5). */
export type PasscodeUse =
  /** Signs in with the account's provider of passcodes. */
  | { purpose: 'sign_in'; providerId: string; context: SignInContext }
  /** Proves the email of one sign-in (I2.3), named by the key of its code. */
  | { purpose: 'proof'; code: string }

export const useText = (use: PasscodeUse): string =>
  use.purpose === 'proof' ? `proof#${use.code}` : `sign_in#${use.context}#${use.providerId}`

/** The account's only provider of kind email_otp (A25.2(4)). */
export async function passcodeProvider(accountId: string): Promise<AuthProviderRow | null> {
  const entity = authProviders.email_otp
  const [item] = await queryItems(partition(accountId, entity.name), { limit: 1 })
  return item ? itemRow(entity, item) : null
}
