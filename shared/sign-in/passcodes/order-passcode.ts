import * as v from 'valibot'
import { invokeLater } from '../../core/aws/invoke-later.ts'
import { env } from '../../core/env.ts'
import type { AccountRow } from '../../domain/accounts/account.ts'
import { OneOf } from '../../values/fields.ts'
import { limitAttempts, limitEmailAttempts } from '../limit-attempts.ts'
import { signInContexts } from '../sign-in-context.ts'
import type { PasscodeOrder } from './send-passcode.ts'
import { SignInEmail } from './sign-in-email.ts'

export const OrderFields = v.object({ email: SignInEmail, context: OneOf(signInContexts) })

/** What everybody hears who asks for a passcode. */
export const Ordered = v.object({ status: v.literal('sent') })

/**
 * Asks for a passcode to be mailed. Whether the address is anybody's is found out after the answer, so neither what it says
 * nor the time that it takes tells (I2.5).
 * @throws ApiError `rate_limited`
 */
export async function orderPasscode(account: AccountRow, { email, context }: v.InferOutput<typeof OrderFields>) {
  await Promise.all([limitAttempts(account.id, 'passcodes'), limitEmailAttempts(email)])
  const order: PasscodeOrder = { account_id: account.id, email, context, purpose: 'sign_in', provider_id: null }
  await invokeLater(env.passcodeFunction, order)
  return { data: { status: 'sent' as const } }
}
