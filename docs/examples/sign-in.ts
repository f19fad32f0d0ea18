import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Service } from './service.ts'

/** What a sign-in gives: a client token, or a portal session for an administrator (I2.6). */
export type SignedIn = {
  token: string
  expires_at: string
  actor: { id: string; name: string; email: string; type: string }
}

type Options = {
  baseUrl: string
  /** The account's name in the address of its page. */
  account: string
  context: 'client' | 'portal'
  /** Has the provider ask which account to use: for another person, or after a sign-out. */
  anotherAccount?: boolean
  /** Shows the page to the person: in the browser of the system, never in one of the client's own (RFC 8252, 8.12). */
  open(page: string): void
  /** Asks for the passcode of a mail that some providers want with the first sign-in (I2.3). */
  passcode(): Promise<string>
}

/** What came back to the client's address. */
type Returned = { code: string | null; error: string | null; isProofRequired: boolean }

/** What a person is told about each error of a return (I2.2). */
const failures: Record<string, string> = {
  access_denied: 'The sign-in was refused (access_denied). Try with another account, or ask an administrator.',
  temporarily_unavailable: 'The provider does not answer (temporarily_unavailable). Try again in a minute.',
  server_error: 'The provider is set up incorrectly (server_error). Tell an administrator.',
}

const minutes = 10

const random = () => randomBytes(32).toString('base64url')

/** Somebody comes back from the page: their browser asks for this address on the machine that the client runs on. */
function untilReturned(server: Server, state: string): Promise<Returned> {
  const { promise, resolve, reject } = Promise.withResolvers<Returned>()
  const timer = setTimeout(() => reject(new Error(`Nobody signed in within ${minutes} minutes.`)), minutes * 60_000)
  server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    // Any page may lead a browser here. Only the service knows the state of this sign-in.
    const isOurs = pathname === '/callback' && searchParams.get('state') === state
    const [code, error] = [searchParams.get('code'), searchParams.get('error')]
    const text = !isOurs
      ? 'This is not the sign-in that the client has begun.'
      : code
        ? 'You are signed in. You can close this window.'
        : 'You were not signed in. You can close this window.'
    response.writeHead(isOurs ? 200 : 400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    response.end(text, () => {
      if (isOurs) resolve({ code, error, isProofRequired: searchParams.get('proof_required') === 'true' })
    })
  })
  return promise.finally(() => clearTimeout(timer))
}

/**
 * Lets a person sign in with what their company has: the authorization code flow of native apps (RFC 8252) with PKCE (RFC 7636).
 * @throws Error when the person was refused; Problem when the code does not count
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
    const [state, verifier] = [random(), random()]
    const redirect_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
    const code_challenge = createHash('sha256').update(verifier).digest('base64url')
    const returned = untilReturned(server, state)
    const query = new URLSearchParams({ context, redirect_uri, state, code_challenge })
    if (anotherAccount) query.set('prompt', 'select_account')
    open(`${baseUrl}/sign_in/${account}?${query}`)
    const { code, error, isProofRequired } = await returned
    if (!code) throw new Error(failures[error ?? ''] ?? `Nobody was signed in (${error ?? 'no code came back'}).`)
    const proof = isProofRequired ? { passcode: await passcode() } : {}
    const sign_in = { code, code_verifier: verifier, ...proof }
    return await new Service(baseUrl).ask<SignedIn>('POST', '/sign_in/token', { sign_in })
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
