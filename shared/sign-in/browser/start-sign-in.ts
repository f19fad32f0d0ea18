import * as v from 'valibot'
import { timestamp } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { AccountRow } from '../../domain/accounts/account.ts'
import { callbackUri } from '../../domain/auth-providers/auth-provider.ts'
import type { Draft } from '../../values/draft.ts'
import { FilledText, OneOf, RawText, Uuid } from '../../values/fields.ts'
import { limitAttempts } from '../limit-attempts.ts'
import { findApp, openIdProvider } from '../providers/provider-app.ts'
import { isRedirectUri } from '../providers/redirect-uri.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import { allowsContext, signInContexts } from '../sign-in-context.ts'
import { beginAtProvider, noteFailure, type StartedSignIn, type UsedProvider } from './begin-at-provider.ts'

const isPrintable = (text: string): boolean => /^[^\p{Cc}]*$/u.test(text)

const mustBeChallenge = 'must be an S256 challenge, 43 characters of base64url'
const CodeChallenge = v.pipe(
  FilledText(mustBeChallenge),
  v.regex(/^[A-Za-z0-9_-]{43}$/, mustBeChallenge),
  v.metadata({ examples: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'] }),
)

const mustBeAllowed = 'must be one of the redirect URIs that the deployment allows'
const RedirectUri = v.pipe(
  FilledText(mustBeAllowed),
  v.check((text) => isPrintable(text) && URL.canParse(text), mustBeAllowed),
)

/** Rejects a redirect URI that neither the deployment nor the console uses (I2.2). `address` is the address of the service. */
export function checkRedirectUri(draft: Draft<Pick<Start, 'redirect_uri'>>, address: string): void {
  const { redirect_uri: uri } = draft.fields
  if (uri !== undefined && !isRedirectUri(uri, address)) draft.reject('redirect_uri', mustBeAllowed)
}

export const StartFields = v.object({
  auth_provider_id: Uuid,
  context: OneOf(signInContexts),
  redirect_uri: RedirectUri,
  state: RawText(512),
  code_challenge: CodeChallenge,
  /** Lets the person choose an account at the provider (I2.2(5)). */
  prompt: v.optional(OneOf(['select_account'])),
})
export type Start = v.InferOutput<typeof StartFields>

async function checkStart(
  account: string,
  draft: Draft<Start>,
  address: string,
): Promise<UsedProvider & { input: Start }> {
  checkRedirectUri(draft, address)
  const { auth_provider_id: id, context } = draft.fields
  const provider = id === undefined ? null : await openIdProvider(account, id)
  const isOpen = provider !== null && !provider.row.is_disabled && (!context || allowsContext(provider.row, context))
  const app = isOpen ? findApp(provider.kind, provider.row) : null
  if (id !== undefined && !isOpen) draft.reject('auth_provider_id', 'does not exist')
  else if (id !== undefined && !app) draft.reject('base', 'this provider kind is not configured')
  const input = draft.done()
  if (!provider || !app) throw new Error('A provider that does not exist was accepted.')
  return { input, ...provider, app }
}

/** Starts a sign-in at a provider (I2.2). @throws ApiError 422 for invalid fields; 503 if the provider is unreachable */
export async function startSignIn(account: AccountRow, draft: Draft<Start>, address: string) {
  const { input, ...provider } = await checkStart(account.id, draft, address)
  // Counts the attempt after validation, so that invalid requests cannot exhaust the account's limit.
  await limitAttempts(account.id, 'providers')
  const { context, redirect_uri, state, code_challenge, prompt = null } = input
  const { kind, row } = provider
  const callback_uri = callbackUri(address, kind, row.id)
  const started: StartedSignIn = { context, redirect_uri, state, code_challenge, callback_uri }
  try {
    const { url, expiresAt } = await beginAtProvider(account.id, provider, started, prompt)
    return { data: { authorization_url: url, expires_at: timestamp(expiresAt) } }
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    await noteFailure(account.id, { kind, id: row.id }, error)
    throw new ApiError('unavailable', 'The provider could not be reached. Nothing was changed; retry later.')
  }
}
