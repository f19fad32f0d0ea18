import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { faultText, StartupError } from '../files/fault.ts'

/** Time within which API Gateway must receive the headers and body of a request. A slower request gets a 408 response. */
const requestMs = 30_000

/** Creates a server that closes connections whose request is not completed in time. */
export const openServer = (
  handle: RequestListener,
  { requestTimeout = requestMs, ...options }: ServerOptions = {},
): Server =>
  // Joins repeated headers, as API Gateway does. For some headers, Node keeps only the first by default.
  createServer(
    {
      ...options,
      joinDuplicateHeaders: true,
      requestTimeout,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(5_000, requestTimeout),
    },
    handle,
  )

const startCommand = (variable: string, port: number): string =>
  `${variable}=${port < 65_535 ? port + 1 : port - 1} npm start${variable === 'PORT' ? '' : ' -- --demo-idp'}`

/**
 * Listens on 127.0.0.1 and returns the port.
 * @throws StartupError naming `variable` if the port cannot be used
 */
export async function listen(server: Server, port: number, variable = 'PORT'): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE'
          ? `Port ${port} is in use by another program. Set ${variable} to a free one, for example ${startCommand(variable, port)}.`
          : `Port ${port} cannot be used: ${error.code ?? error.message}. Set ${variable} to another port.`
      reject(new StartupError(reason))
    })
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}

/** Response of an inner server. `fault` is an AWS error name, which SDK clients read from the header `x-amzn-errortype`. */
export type InnerResponse = { status: number; body?: unknown; fault?: string }
export type InnerServer = { endpoint: string; stop(): Promise<void> }

/** Signals a permanent refusal (400), after which callers do not retry. */
export class PermanentRefusal extends StartupError {}

const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * Starts a server on 127.0.0.1 for the service's own functions and commands. Its URL contains a random secret, because other local programs
 * and browser pages can reach the port.
 * @param respond handler that receives the path after the secret, still encoded
 */
export async function openInnerServer(
  respond: (request: IncomingMessage, path: string, body: Buffer) => Promise<InnerResponse>,
): Promise<InnerServer> {
  const secret = randomBytes(32).toString('base64url')
  const server = openServer(async (request, response) => {
    const [, givenSecret = '', ...path] = (request.url ?? '').split('?')[0]?.split('/') ?? []
    const work = timingSafeEqual(digest(givenSecret), digest(secret))
      ? buffer(request).then((body) => respond(request, path.join('/'), body))
      : Promise.resolve({ status: 403 })
    const { status, body, fault }: InnerResponse = await work.catch((error: unknown) => {
      process.stderr.write(`${new Date().toISOString()} ERROR ${faultText(error)}\n`)
      return { status: error instanceof PermanentRefusal ? 400 : 500 }
    })
    response.writeHead(status, { 'content-type': 'application/json', ...(fault && { 'x-amzn-errortype': fault }) })
    response.end(status === 204 ? undefined : JSON.stringify(body ?? {}))
  })
  server.keepAliveTimeout = 60_000
  const port = await listen(server, 0)
  return {
    endpoint: `http://127.0.0.1:${port}/${secret}`,
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
