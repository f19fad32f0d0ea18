import { checkAdministration } from '../../commit/check-administration.ts'
import type { Author } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError } from '../../core/errors.ts'
import { rowsBy } from '../../table/read.ts'
import { isUnexpired } from '../../values/expiry.ts'
import { apiTokens } from '../api-tokens/api-token.ts'
import { mayGrantAll } from '../api-tokens/scopes.ts'
import type { ActorInput, ActorRow } from './actor.ts'

/**
 * Refuses changes of an actor that reach beyond the caller's own scopes (A12.4(4)). An administrator can open a portal
 * session; an API client that is enabled again regains its tokens.
 * @throws ApiError `scope_exceeded`
 */
export async function checkReach(
  author: Author,
  transaction: Transaction,
  actor: ActorRow,
  change: Partial<ActorInput>,
): Promise<void> {
  const changes = (field: keyof ActorInput) => change[field] !== undefined && change[field] !== actor[field]
  const enables = changes('is_disabled') && change.is_disabled === false
  if (changes('type') && change.type === 'account_admin_user') {
    checkAdministration(author, 'Promoting an actor to an administrator')
  }
  if (actor.type === 'account_admin_user') {
    if (enables) checkAdministration(author, 'Enabling an administrator')
    if (changes('email')) checkAdministration(author, 'Changing the email of an administrator')
    if (changes('allow_email_otp_sign_in')) {
      checkAdministration(author, 'Changing whether an administrator can sign in with passcodes')
    }
  }
  if (actor.type !== 'api_client' || !enables) return
  const tokens = await rowsBy(apiTokens, transaction.accountId, 'actor_id', actor.id)
  const regained = tokens.filter((token) => isUnexpired(token, transaction.now)).flatMap(({ scopes }) => scopes)
  if (mayGrantAll(author, regained)) return
  throw new ApiError(
    'scope_exceeded',
    'Enabling an API client gives its tokens back, so it needs a token that covers all of their scopes.',
  )
}
