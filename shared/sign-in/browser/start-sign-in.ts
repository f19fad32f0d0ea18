import * as v from 'valibot'
import { timestamp } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { AccountRow } from '../../domain/accounts/account.ts'
import { callbackUri } from '../../domain/auth-providers/callback-uri.ts'
import type { Draft } from '../../values/draft.ts'
import { field } from '../../values/field.ts'
import { OneOf, Text, Uuid } from '../../values/fields.ts'
import { limitAttempts } from '../limit-attempts.ts'
import { openIdProvider } from '../providers/open-id-provider.ts'
import { appOf } from '../providers/provider-app.ts'
import { isRedirectUri } from '../providers/redirect-uri.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import { allowsContext, signInContexts } from '../sign-in-context.ts'
import { type Begun, beginAtProvider, type UsedProvider } from './begin-at-provider.ts'
import { noteFailure } from './note-failure.ts'

const isPrintable = (text: string): boolean => /^[^\p{Cc}]*$/u.test(text)

const codeChallenge = '^[A-Za-z0-9_-]{43}$'
const CodeChallenge = field<string>(
  (input) =>
    input === null || input === '' || input === undefined
      ? { message: "can't be blank" }
      : typeof input === 'string' && new RegExp(codeChallenge).test(input)
        ? { value: input }
        : { message: 'must be an S256 challenge, 43 characters of base64url' },
  { type: 'string', pattern: codeChallenge, examples: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'] },
)

const RedirectUri = field<string>(
  (input) =>
    input === null || input === '' || input === undefined
      ? { message: "can't be blank" }
      : typeof input === 'string' && isPrintable(input) && isRedirectUri(input)
        ? { value: input }
        : { message: 'must be one of the redirect URIs that the deployment allows' },
  { type: 'string' },
)

/** The fields of a start (I2.1). */
export const StartFields = v.object({
  auth_provider_id: Uuid,
  context: OneOf(signInContexts),
  redirect_uri: RedirectUri,
  state: Text(512, { trim: false }),
  code_challenge: CodeChallenge,
  /** Asks the provider which account to use, where its session would decide otherwise. */
  prompt: v.optional(OneOf(['select_account'])),
})
export type Start = v.InferOutput<typeof StartFields>

/** The provider and its app. @throws ApiError 422 where it is no provider that people sign in with for this context */
async function checkProvider(account: string, draft: Draft<Start>): Promise<UsedProvider & { input: Start }> {
  const { auth_provider_id: id, context } = draft.fields
  const provider = id === undefined ? null : await openIdProvider(account, id)
  const isOpen = provider !== null && !provider.row.is_disabled && (!context || allowsContext(provider.row, context))
  const app = isOpen ? appOf(provider.kind, provider.row) : null
  if (id !== undefined && !isOpen) draft.reject('auth_provider_id', 'does not exist')
  else if (id !== undefined && !app) draft.reject('base', 'this provider kind is not configured')
  const input = draft.done()
  if (!provider || !app) throw new Error('A provider that was not found was taken.')
  return { input, ...provider, app }
}

/**
 * Begins a sign-in with a provider (I2.2): the address that the browser is led to, good for 10 minutes and one answer.
 * @throws ApiError 422, or 503 when the provider does not tell where to go
 */
export async function startSignIn(account: AccountRow, draft: Draft<Start>, address: string) {
  const { input, ...provider } = await checkProvider(account.id, draft)
  // Only valid attempts are limited: junk from many addresses would otherwise close the account's sign-in.
  await limitAttempts(account.id, 'providers')
  const { context, redirect_uri, state, code_challenge, prompt = null } = input
  const { kind, row } = provider
  const begun: Begun = {
    context,
    redirect_uri,
    state,
    code_challenge,
    callback_uri: callbackUri(address, kind, row.id),
  }
  const { url, expiresAt } = await beginAtProvider(account.id, provider, begun, prompt).catch(
    async (error: unknown) => {
      if (!(error instanceof SignInRefused)) throw error
      await noteFailure(account.id, { kind, id: row.id }, error)
      throw new ApiError('unavailable', 'The provider could not be reached. Nothing was changed; retry later.')
    },
  )
  return { data: { authorization_url: url, expires_at: timestamp(expiresAt) } }
}
