import { env } from '../../core/env.ts'
import type { Answer } from '../exchange.ts'
import { type Html, html } from './html.ts'
import { administrator, pageAnswer } from './page.ts'

/** Validated request with which a client or portal opens the sign-in page (I2.1). */
export type SignInRequest = {
  context: 'client' | 'portal'
  redirect_uri: string
  state: string
  code_challenge: string
  prompt?: 'select_account'
}

type Provider = { id: string; kind: string; name: string }

export type SignInPage = {
  slug: string
  accountName: string
  request: SignInRequest
  /** Providers in the order in which the page lists them, with the default provider first. */
  providers: readonly Provider[]
  status?: number
  error?: string
  /** Rejected email, with which the form is prefilled so that the user can correct it. */
  email?: string
}

const base = (slug: string): string => `/sign_in/${encodeURIComponent(slug)}`

type Requested = Pick<SignInPage, 'slug' | 'request'>

const pageAddress = ({ slug, request }: Requested): string => `${base(slug)}?${new URLSearchParams(request)}`

/**
 * Returns the address of a link that starts a sign-in. A form would not work, because `form-action` would block the provider's redirects.
 */
const startAddress = ({ slug, request }: Requested, { id }: Provider): string =>
  `${base(slug)}/start?${new URLSearchParams({ auth_provider_id: id, ...request })}`

const loopback = /^(127\.0\.0\.1|\[::1\]|localhost)$/

/** Describes the destination of a sign-in. On a device, any program can receive the redirect, not only the client. */
function destination({ redirect_uri, context }: SignInRequest): Html {
  const { protocol, hostname, host } = new URL(redirect_uri)
  if (protocol !== 'http:' && protocol !== 'https:') return html`the app <b>${protocol.slice(0, -1)}</b>`
  if (!loopback.test(hostname)) return html`<b>${host}</b>`
  return context === 'portal' ? html`a program on <b>this device</b>` : html`the client on <b>this device</b>`
}

/** Describes the destination of a sign-in. For the portal, warns that the destination gets the person's permissions. */
const outcomeOf = (request: SignInRequest): Html =>
  request.context === 'portal'
    ? html`<p>After you sign in, you return to ${destination(request)}, which gets your <b>rights to read or change this account</b>. Continue only if you started there.</p>`
    : html`<p class="quiet">After you sign in, you return to ${destination(request)}.</p>`

const titleOf = ({ request, accountName }: Pick<SignInPage, 'request' | 'accountName'>): string =>
  request.context === 'portal' ? `Sign in to the administration of ${accountName}` : `Sign in to ${accountName}`

/**
 * Returns the `form-action` source for a redirect after a form. For an IPv6 address, returns the scheme, because CSP has no IPv6 literals
 * (CSP 3, 2.3.1).
 */
function formTargetOf(redirectUri: string): string {
  const { protocol, hostname, origin } = new URL(redirectUri)
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin
}

/** Renders an error message that screen readers announce immediately. */
const errorOf = (error: string | undefined): Html | null =>
  error === undefined
    ? null
    : html`<div class="error" role="alert"><p><b>Something went wrong.</b></p><p>${error}</p></div>`

const titled = (title: string, error: string | undefined): string => (error === undefined ? title : `Error: ${title}`)

/** Hidden field that contains the whole request as one encoded string, because forms change line breaks in `state`. */
const hidden = (request: SignInRequest): Html =>
  html`<input type="hidden" name="request" value="${new URLSearchParams(request).toString()}">`

function providerLinks(page: SignInPage, providers: readonly Provider[]): Html | null {
  if (providers.length === 0) return null
  return html`<ul>
${providers.map(
  (provider, i) =>
    html`<li><a class="button${i === 0 ? ' first' : ''}" href="${startAddress(page, provider)}">Sign in with ${provider.name}</a></li>
`,
)}</ul>`
}

/**
 * Link for using a different account. With a single provider, the link starts a sign-in; with several, it opens this page with `prompt`.
 */
function otherAccount({ slug, request }: SignInPage, [first, ...more]: readonly Provider[]): Html | null {
  if (!first) return null
  if (request.prompt) return html`<p class="quiet other">The next page lets you choose an account.</p>`
  const chosen = { slug, request: { ...request, prompt: 'select_account' } as const }
  const address = more.length === 0 ? startAddress(chosen, first) : pageAddress(chosen)
  return html`<p class="other"><a href="${address}">Use another account</a></p>`
}

/** Link for a person who has an API token and opened the console (K3.5). */
function tokenLink({ slug, request }: SignInPage): Html | null {
  const isConsole = request.context === 'portal' && new URL(request.redirect_uri).pathname === '/console/signed_in'
  if (!env.console || !isConsole) return null
  return html`<p class="other"><a href="/console/${encodeURIComponent(slug)}?token">Use an API token</a></p>`
}

function emailForm({ slug, request, email, error }: SignInPage, isOnlyWay: boolean): Html {
  const isWrong = email !== undefined && error !== undefined
  return html`<h2>With a passcode by email</h2>
<form method="post" action="${base(slug)}">
${hidden(request)}
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="email" required value="${email ?? ''}"${
    isWrong && html` aria-invalid="true" aria-describedby="email-error" autofocus`
  }>
${isWrong && html`<p class="hint" id="email-error">Error: ${error}</p>`}
<button class="button${isOnlyWay ? ' first' : ''}">Send me a passcode</button>
</form>`
}

export function signInPage(page: SignInPage): Answer {
  const { request, providers, error, status, email } = page
  const others = providers.filter(({ kind }) => kind !== 'email_otp')
  const isByEmail = providers.some(({ kind }) => kind === 'email_otp')
  const title = titleOf(page)
  return pageAnswer({
    status,
    title: titled(title, error),
    formTargets: [formTargetOf(request.redirect_uri)],
    body: html`<h1>${title}</h1>
${outcomeOf(request)}
${email === undefined && errorOf(error)}
${providerLinks(page, others)}
${otherAccount(page, others)}
${isByEmail && emailForm(page, others.length === 0)}
${providers.length === 0 && html`<p>There is no way to sign in yet. Ask ${administrator} to set one up.</p>`}
${tokenLink(page)}`,
  })
}

/**
 * Page with the form for an emailed passcode. The page appears even if no email was sent, so that it does not reveal who has an account.
 */
export function passcodePage(page: SignInPage & { email: string }): Answer {
  const { slug, request, providers, email, error, status } = page
  const title = 'Enter the passcode'
  return pageAnswer({
    status,
    title: titled(title, error),
    formTargets: [formTargetOf(request.redirect_uri)],
    body: html`<h1>${title}</h1>
<p>If <b>${email}</b> can sign in with a passcode, an email with the passcode is on its way. It is valid for 15 minutes.</p>
<form method="post" action="${base(slug)}">
${hidden(request)}
<input type="hidden" name="email" value="${email}">
<label for="passcode">6-character passcode</label>
<input class="passcode" id="passcode" name="passcode" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" required autofocus${
      error !== undefined && html` aria-invalid="true" aria-describedby="passcode-error"`
    }>
${error !== undefined && html`<p class="hint" id="passcode-error">Error: ${error}</p>`}
<button class="button first">${request.context === 'portal' ? 'Sign in to the administration' : 'Sign in'}</button>
</form>
<form method="post" action="${base(slug)}">
${hidden(request)}
<input type="hidden" name="email" value="${email}">
<button class="button">Send me another passcode</button>
</form>
<p><a href="${pageAddress(page)}">${providers.length > 1 ? 'Sign in another way' : 'Use another email address'}</a></p>`,
  })
}

type Refusal = { status: number; title: string; text: string; details?: readonly string[]; requestId?: string }

/** Page about a failure, without links. `requestId` identifies the request in the service's log. */
export const refusalPage = ({ status, title, text, details = [], requestId }: Refusal): Answer =>
  pageAnswer({
    status,
    title,
    body: html`<h1>${title}</h1>
<p>${text}</p>
${details.length > 0 && html`<div class="error" role="alert">${details.map((detail) => html`<p>${detail}</p>`)}</div>`}
${requestId !== undefined && html`<p class="quiet">Request ${requestId}</p>`}`,
  })
