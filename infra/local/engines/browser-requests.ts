import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { listen } from '../api/open-server.ts'

/**
 * True for a request from a browser page, recognized by an origin header or as a preflight request. The engines have no password, so any
 * web page could otherwise read and write their data.
 */
export const isFromBrowser = ({ headers, method }: Pick<IncomingMessage, 'headers' | 'method'>): boolean =>
  headers.origin !== undefined || method === 'OPTIONS'

export function refuseBrowser(response: ServerResponse): void {
  response.writeHead(403, { 'content-length': 0, connection: 'close' }).end()
}

/** Starts a proxy that refuses browser pages, for a DynamoDB engine whose address a page can guess. */
export async function startTableProxy(engine: string): Promise<{ endpoint: string; server: Server }> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, response) => {
    if (isFromBrowser(incoming)) return refuseBrowser(response)
    const { method, url, headers } = incoming
    const outgoing = request(engine, { agent, method, path: url, headers })
    outgoing.once('response', (engineResponse) => {
      response.writeHead(engineResponse.statusCode ?? 502, engineResponse.headers)
      engineResponse.pipe(response)
    })
    // Closes the connection, so that SDK clients retry.
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  server.keepAliveTimeout = 60_000
  return { endpoint: `http://127.0.0.1:${await listen(server, 0)}`, server }
}
