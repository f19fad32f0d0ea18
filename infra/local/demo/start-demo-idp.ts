import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type Provider from 'oidc-provider'
import type { Answer } from '#shared/http/exchange.ts'
import { listen, openServer } from '../api/open-server.ts'
import type { Person } from './demo-directory.ts'
import { choosePersonPage } from './demo-pages.ts'
import { type DemoClient, demoProvider } from './demo-provider.ts'

type Options = { port: number; client: DemoClient; people: readonly Person[] }

export type DemoIdp = Awaited<ReturnType<typeof startDemoIdp>>

function send(response: ServerResponse, { statusCode = 200, headers, body }: Answer): void {
  response.writeHead(statusCode, headers as Record<string, string>).end(body)
}

/** Switches a browser's session to a different person. The package's own page for this purpose needs a script. */
async function switchPerson(provider: Provider, uid: string | undefined, accountId: string): Promise<void> {
  const session = uid === undefined ? undefined : await provider.Session.findByUid(uid)
  if (!session || session.accountId === accountId) return
  session.loginAccount({ accountId })
  await session.persist()
}

async function servePersonChoice(
  provider: Provider,
  people: readonly Person[],
  request: IncomingMessage,
  response: ServerResponse,
) {
  // Throws if the browser does not have this sign-in's cookie, or if the sign-in has expired.
  const { session } = await provider.interactionDetails(request, response)
  if (request.method !== 'POST') return send(response, choosePersonPage(people))
  const sub = new URLSearchParams(await text(request)).get('sub')
  const result = sub
    ? { login: { accountId: sub, remember: true }, select_account: {} }
    : { error: 'access_denied', error_description: 'The sign-in was cancelled.' }
  const location = await provider.interactionResult(request, response, result, { mergeWithLastSubmission: false })
  if (sub) await switchPerson(provider, session?.uid, sub)
  response.writeHead(303, { location }).end()
}

/** Runs the provider locally. Its issuer is its address, so existing provider rows stay valid only on the same port. */
export async function startDemoIdp({ port, client, people }: Options) {
  const ready = Promise.withResolvers<Provider>()
  const server = openServer(async (request, response) => {
    const provider = await ready.promise
    if (!request.url?.startsWith('/who/')) return provider.callback()(request, response)
    await servePersonChoice(provider, people, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(400, { 'content-type': 'text/plain' })
      response.end('This sign-in has ended. Start a new one in your client.\n')
    })
  })
  const issuer = `http://127.0.0.1:${await listen(server, port, 'DEMO_IDP_PORT')}`
  const { provider, setRedirectUri } = await demoProvider({ issuer, client, people })
  ready.resolve(provider)
  return {
    issuer,
    setRedirectUri,
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
