import { watched } from '#shared/core/logging/watched.ts'
import { type PasscodeOrder, sendPasscode } from '#shared/sign-in/passcodes/send-passcode.ts'

/** Makes a passcode and mails it, after the answer to who has asked for one (docs/decisions/0022). */
export const handler = watched('mail-passcode', (order: PasscodeOrder) => sendPasscode(order))
