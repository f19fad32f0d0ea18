import * as v from 'valibot'
import { ApiError } from '../../core/errors.ts'
import type { AccountRow } from '../../domain/accounts/account.ts'
import { findAccountBySlug } from '../../sign-in/account-by-slug.ts'
import { codeForPasscode } from '../../sign-in/browser/code-for-passcode.ts'
import { checkRedirectUri, type Start, StartFields, startSignIn } from '../../sign-in/browser/start-sign-in.ts'
import { listSignInProviders } from '../../sign-in/list-providers.ts'
import { orderPasscode } from '../../sign-in/passcodes/prove-email.ts'
import { withParameters } from '../../sign-in/providers/redirect-uri.ts'
import { draft } from '../../values/draft.ts'
import { EmailAddress } from '../../values/fields.ts'
import { type Answer, redirectTo } from '../exchange.ts'
import { administrator } from './page.ts'
import type { PageRequest } from './page-handler.ts'
import { passcodePage, type SignInPage, type SignInRequest, signInPage } from './sign-in-pages.ts'

const RequestFields = v.omit(StartFields, ['auth_provider_id'])

/**
 * Reads the contents of the sign-in page. After `access_denied`, requires the provider to offer a choice of accounts, because the same
 * account would be refused again.
 * @throws ApiError `not_found` for an unknown account, `validation_failed` for an invalid request
 */
export async function openSignIn(
  slug: string,
  fields: URLSearchParams,
  address: string,
): Promise<SignInPage & { account: AccountRow }> {
  const account = await findAccountBySlug(slug)
  const sent = draft<SignInRequest>(RequestFields, Object.fromEntries(fields))
  checkRedirectUri(sent, address)
  const sentRequest = sent.done()
  const error = fields.get('error')
  const request: SignInRequest = error === 'access_denied' ? { ...sentRequest, prompt: 'select_account' } : sentRequest
  const providers = await listSignInProviders(account.id, request.context)
  const words = errorWords(error, { request, providers })
  return { account, slug: account.slug, accountName: account.name, request, providers, ...(words && { error: words }) }
}

type Ways = Pick<SignInPage, 'request' | 'providers'>

export const ifOtherWays = ({ providers }: Pick<SignInPage, 'providers'>, words: string): string =>
  providers.length > 1 ? words : ''

/** Message about a provider that was disabled after the page was opened. Suggests a different provider only if there is one. */
export const wayGone = ({ providers }: Pick<SignInPage, 'providers'>): string =>
  `This way to sign in is no longer available.${providers.length > 0 ? ' Choose another one.' : ''}`

/** Message about a refused sign-in. It does not reveal the reason. */
const refused = (page: Ways): string =>
  page.request.context === 'portal'
    ? `You were not signed in. Only administrators and people who may read the account can sign in here. If you are one of them, choose another account${ifOtherWays(page, ' or another way')}. If not, ask ${administrator}.`
    : `You were not signed in: you cancelled, or this account has no access here. Choose another account${ifOtherWays(page, ' or another way')}, or ask ${administrator}.`

const silent = (page: Ways): string =>
  `You were not signed in: the sign-in provider is not responding properly. Try again in a minute${ifOtherWays(page, ', or choose another way')}.`

const broken = (page: Ways): string =>
  `You were not signed in: this way to sign in is set up incorrectly, and trying again does not help. ${ifOtherWays(page, 'Choose another way, and tell') || 'Tell'} ${administrator}.`

/** Messages, keyed by the error code in the redirect from a callback (I2.2). */
const messages = new Map([
  ['access_denied', refused],
  ['temporarily_unavailable', silent],
  ['server_error', broken],
])

export const errorWords = (error: string | null, page: Ways): string | undefined => messages.get(error ?? '')?.(page)

/** Messages about a sign-in that could not start, keyed by status. */
const failures: Partial<Record<number, (page: SignInPage) => string>> = {
  422: wayGone,
  503: (page) =>
    `This provider could not be reached. Try again in a minute${ifOtherWays(page, ', or choose another way')}.`,
}

/** Redirects a browser to a provider. If the sign-in cannot start, shows the page again with the reason. */
export async function redirectToProvider({ slug, fields, address }: PageRequest): Promise<Answer> {
  const account = await findAccountBySlug(slug)
  try {
    const { data } = await startSignIn(account, draft<Start>(StartFields, Object.fromEntries(fields)), address)
    return redirectTo(data.authorization_url)
  } catch (error) {
    const { status = 0 } = error instanceof ApiError ? error : {}
    const message = failures[status]
    if (!message) throw error
    // Reads the contents of the page. Throws if the request itself is invalid.
    const page = await openSignIn(slug, fields, address)
    return signInPage({ ...page, status, error: message(page) })
  }
}

const noEmail = 'Enter an email address like name@example.com.'
const wrongPasscode = 'This passcode is wrong, already used or expired. After three attempts, request a new one.'

/**
 * Handles two forms. The first requests a passcode for an email. The second sends a passcode and, if the passcode is correct, redirects
 * with a code.
 */
export async function handleEmailForm({ slug, fields, address }: PageRequest): Promise<Answer> {
  const page = await openSignIn(slug, new URLSearchParams(fields.get('request') ?? ''), address)
  const { account, request } = page
  if (!page.providers.some(({ kind }) => kind === 'email_otp'))
    return signInPage({ ...page, status: 422, error: wayGone(page) })
  const entered = fields.get('email') ?? ''
  const checked = v.safeParse(EmailAddress, entered)
  if (!checked.success) return signInPage({ ...page, status: 422, email: entered, error: noEmail })
  const email = checked.output
  const passcode = fields.get('passcode')
  if (passcode === null) {
    await orderPasscode(account, { email, context: request.context })
    return passcodePage({ ...page, email })
  }
  const { redirect_uri, state, ...rest } = request
  try {
    const code = await codeForPasscode(account.id, { email, passcode, ...rest })
    return redirectTo(withParameters(redirect_uri, { state, code }))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'unauthorized') throw error
    return passcodePage({ ...page, email, status: 422, error: wrongPasscode })
  }
}
