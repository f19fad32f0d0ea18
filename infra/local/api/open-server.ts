import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { faultText, StartupError } from '../files/fault.ts'

/** A request, headers and body, is there after so long, or its connection ends with 408: API Gateway waits no longer. */
const requestMs = 30_000

/** A server that lets nobody hold a connection with a request that never ends. */
export const openServer = (
  handle: RequestListener,
  { requestTimeout = requestMs, ...options }: ServerOptions = {},
): Server =>
  // API Gateway joins a header that comes twice; Node would drop the second one of some.
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

/** The start with another port: the one after, or before the last one. */
const withPort = (variable: string, taken: number): string =>
  `${variable}=${taken < 65_535 ? taken + 1 : taken - 1} npm start${variable === 'PORT' ? '' : ' -- --demo-idp'}`

/** Listens on this machine alone. A port that is taken is told with the variable that chooses another. */
export async function listen(server: Server, port: number, variable = 'PORT'): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE'
          ? `Port ${port} is in use by another program. Set ${variable} to a free one, for example ${withPort(variable, port)}.`
          : `Port ${port} cannot be used: ${error.code ?? error.message}. Set ${variable} to another one.`
      reject(new StartupError(reason))
    })
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}

/** `fault` is the name of an error of AWS, by which its clients know it. */
export type InnerAnswer = { status: number; body?: unknown; fault?: string }
export type InnerServer = { endpoint: string; stop(): Promise<void> }

/** Signals a request that will never be accepted, so that nobody repeats it. */
export class Refused extends StartupError {}

const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * A server on the loopback for this service's own functions and commands. Its address holds a secret that each start makes anew,
 * because other programs of the machine, and pages in its browsers, reach the port, too.
 * @param answer gets the path behind the secret, still encoded
 */
export async function openInnerServer(
  answer: (request: IncomingMessage, path: string, body: Buffer) => Promise<InnerAnswer>,
): Promise<InnerServer> {
  const secret = randomBytes(32).toString('base64url')
  const server = openServer(async (request, response) => {
    const [, given = '', ...path] = (request.url ?? '').split('?')[0]?.split('/') ?? []
    const work = timingSafeEqual(digest(given), digest(secret))
      ? buffer(request).then((body) => answer(request, path.join('/'), body))
      : Promise.resolve({ status: 403 })
    const { status, body, fault }: InnerAnswer = await work.catch((error: unknown) => {
      process.stderr.write(`${new Date().toISOString()} ERROR ${faultText(error)}\n`)
      return { status: error instanceof Refused ? 400 : 500 }
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
