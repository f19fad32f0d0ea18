import { watched } from '#shared/core/logging/watched.ts'
import { type PasscodeOrder, sendPasscode } from '#shared/sign-in/passcodes/send-passcode.ts'

/** Generates and mails a passcode, after the response to its request (docs/decisions/0022). */
export const handler = watched('mail-passcode', (order: PasscodeOrder) => sendPasscode(order))
