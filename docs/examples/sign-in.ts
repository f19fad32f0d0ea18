import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Service } from './service.ts'

/** Result of a sign-in: a client token, or a portal session for an administrator (I2.6). */
export type SignedIn = {
  token: string
  expires_at: string
  actor: { id: string; name: string; email: string; type: string }
}

type Options = {
  baseUrl: string
  /** Slug of the account in the address of its sign-in page. */
  account: string
  context: 'client' | 'portal'
  /** Makes the provider offer a choice of accounts: for another person, or after a sign-out. */
  anotherAccount?: boolean
  /** Opens the page in the system's browser, never in a browser embedded in the client (RFC 8252, 8.12). */
  open(page: string): void
  /** Prompts for the mailed passcode, which some providers require at the first sign-in (I2.3). */
  passcode(): Promise<string>
}

/** Parameters of the browser's return to the client's address. */
type SignInReturn = { code: string | null; error: string | null; isProofRequired: boolean }

/** Messages to the person for each error of a return (I2.2). */
const failures: Record<string, string> = {
  access_denied: 'The sign-in was refused (access_denied). Try another account, or contact an administrator.',
  temporarily_unavailable: 'The provider does not respond (temporarily_unavailable). Try again in a minute.',
  server_error: 'The provider is set up incorrectly (server_error). Contact an administrator.',
}

const timeoutMinutes = 10

const randomText = () => randomBytes(32).toString('base64url')

/** Waits until the sign-in page redirects the browser to the client's own address. @throws Error after ten minutes */
function waitForReturn(server: Server, state: string): Promise<SignInReturn> {
  const { promise, resolve, reject } = Promise.withResolvers<SignInReturn>()
  const timer = setTimeout(
    () => reject(new Error(`Nobody signed in within ${timeoutMinutes} minutes.`)),
    timeoutMinutes * 60_000,
  )
  server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    // Any web page can redirect a browser to this address. Only the service knows the state of this sign-in.
    const isExpected = pathname === '/callback' && searchParams.get('state') === state
    const [code, error] = [searchParams.get('code'), searchParams.get('error')]
    const text = !isExpected
      ? 'This is not the sign-in that the client started.'
      : code
        ? 'You are signed in. You can close this window.'
        : 'You were not signed in. You can close this window.'
    response.writeHead(isExpected ? 200 : 400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    response.end(text, () => {
      if (isExpected) resolve({ code, error, isProofRequired: searchParams.get('proof_required') === 'true' })
    })
  })
  return promise.finally(() => clearTimeout(timer))
}

/**
 * Signs a person in with the identity provider of their company: the authorization code flow of native apps (RFC 8252) with PKCE
 * (RFC 7636).
 * @throws Error if the person was refused; Problem if the code is not valid
 */
export async function signIn({
  baseUrl,
  account,
  context,
  anotherAccount,
  open,
  passcode,
}: Options): Promise<SignedIn> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const [state, verifier] = [randomText(), randomText()]
    const redirect_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
    const code_challenge = createHash('sha256').update(verifier).digest('base64url')
    const returned = waitForReturn(server, state)
    const query = new URLSearchParams({ context, redirect_uri, state, code_challenge })
    if (anotherAccount) query.set('prompt', 'select_account')
    open(`${baseUrl}/sign_in/${account}?${query}`)
    const { code, error, isProofRequired } = await returned
    if (!code)
      throw new Error(failures[error ?? ''] ?? `Nobody was signed in (${error ?? 'the browser returned no code'}).`)
    const proof = isProofRequired ? { passcode: await passcode() } : {}
    const sign_in = { code, code_verifier: verifier, ...proof }
    return await new Service(baseUrl).request<SignedIn>('POST', '/sign_in/token', { sign_in })
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
