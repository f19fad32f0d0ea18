import { randomInt } from 'node:crypto'
import { type AuthProviderRow, authProviders } from '../../domain/auth-providers/auth-provider.ts'
import { itemRow } from '../../table/entity.ts'
import { partition } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'
import type { SignInContext } from '../sign-in-context.ts'

/** Alphabet without 0, 1, I, L and O, which are easily confused (I2.5). */
const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const length = 6
const form = new RegExp(`^[${alphabet}]{${length}}$`, 'i')

export const newPasscode = (): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')

/** Normalizes an entered passcode to upper case without white space. Returns null for a string that cannot be a passcode. */
export function readPasscode(entered: string): string | null {
  const text = entered.replace(/\s/g, '')
  return form.test(text) ? text.toUpperCase() : null
}

export type PasscodeUse =
  | { purpose: 'sign_in'; providerId: string; context: SignInContext }
  /** Proves the email of one sign-in (I2.3). `code` is the sort key under which the code of this sign-in is stored. */
  | { purpose: 'proof'; code: string }

export const useText = (use: PasscodeUse): string =>
  use.purpose === 'proof' ? `proof#${use.code}` : `sign_in#${use.context}#${use.providerId}`

/** Returns the account's passcode provider. An account has at most one (A25.2(4)). */
export async function passcodeProvider(accountId: string): Promise<AuthProviderRow | null> {
  const entity = authProviders.email_otp
  const [item] = await queryItems(partition(accountId, entity.name), { limit: 1 })
  return item ? itemRow(entity, item) : null
}
