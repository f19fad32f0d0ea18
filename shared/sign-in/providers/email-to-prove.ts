import { checkEmail } from '../../values/email.ts'
import { linkedIdentity } from '../identities/find-identity.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import type { ClaimedIdentity } from './identity-claims.ts'

/**
 * The email that has to be proven by a passcode before the first link (I2.3); null where none has to, or not any more.
 * @throws SignInRefused for what is no address
 */
export async function emailToProve(accountId: string, identity: ClaimedIdentity): Promise<string | null> {
  if (identity.toProve === null || (await linkedIdentity(accountId, identity))) return null
  const checked = checkEmail(identity.toProve.trim())
  if (!('email' in checked)) throw new SignInRefused('email_invalid')
  return checked.email
}
