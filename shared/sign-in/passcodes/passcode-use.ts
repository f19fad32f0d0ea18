import type { SignInContext } from '../sign-in-context.ts'

/** What a passcode was mailed for; it counts for nothing else (I2.5). */
export type PasscodeUse =
  /** To sign in for this with the account's provider of passcodes. */
  | { purpose: 'sign_in'; providerId: string; context: SignInContext }
  /** To prove the email of one sign-in (I2.3): that of a code, told by its key. */
  | { purpose: 'proof'; code: string }

/** The same as the text that a passcode is kept with. */
export const useText = (use: PasscodeUse): string =>
  use.purpose === 'proof' ? `proof#${use.code}` : `sign_in#${use.context}#${use.providerId}`
