import { checkEmail } from '../../values/email.ts'
import { settledIdentity } from '../identities/find-identity.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import type { SignInContext } from '../sign-in-context.ts'
import type { ClaimedIdentity } from './identity-claims.ts'

/**
 * The email that has to be proven by a passcode before the first link (I2.3); null where none has to, or not any more.
 * @throws SignInRefused for what is no address
 */
export async function emailToProve(
  accountId: string,
  identity: ClaimedIdentity,
  context: SignInContext,
): Promise<string | null> {
  if (identity.toProve === null || (await settledIdentity(accountId, identity, context))) return null
  const checked = checkEmail(identity.toProve.trim())
  if (!('email' in checked)) throw new SignInRefused('email_invalid')
  return checked.email
}
