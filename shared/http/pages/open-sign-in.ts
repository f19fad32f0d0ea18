import * as v from 'valibot'
import type { AccountRow } from '../../domain/accounts/account.ts'
import { accountOfSlug } from '../../sign-in/account-of-slug.ts'
import { StartFields } from '../../sign-in/browser/start-sign-in.ts'
import { listSignInProviders } from '../../sign-in/list-providers.ts'
import { draft } from '../../values/draft.ts'
import { errorWords } from './error-words.ts'
import type { SignInPage, SignInRequest } from './sign-in-pages.ts'

const RequestFields = v.omit(StartFields, ['auth_provider_id'])

/** What the page was opened with. @throws ApiError 422 that names what is wrong; then it leads nowhere */
const requestOf = (fields: URLSearchParams): SignInRequest =>
  draft<SignInRequest>(RequestFields, Object.fromEntries(fields)).done()

/**
 * Reads everything that the sign-in page shows: account, request, ways to sign in, and the error of an earlier sign-in.
 * After a refusal the provider is asked for a choice of account, since its session would be refused again.
 * @throws ApiError `not_found` for an unknown account, or 422
 */
export async function openSignIn(slug: string, fields: URLSearchParams): Promise<SignInPage & { account: AccountRow }> {
  const account = await accountOfSlug(slug)
  const asked = requestOf(fields)
  const error = fields.get('error')
  const request: SignInRequest = error === 'access_denied' ? { ...asked, prompt: 'select_account' } : asked
  const providers = await listSignInProviders(account.id, request.context)
  const words = errorWords(error, { request, providers })
  return { account, slug: account.slug, accountName: account.name, request, providers, ...(words && { error: words }) }
}
