import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Asked = { headers: IncomingHttpHeaders; body: string; path: string }
type Reply = (response: ServerResponse, asked: Asked) => void

/** A service on this machine that answers as it is told, and keeps what it was asked. */
export async function stubService(reply: Reply) {
  const asked: Asked[] = []
  const server = createServer(async (incoming, response) => {
    const request = { headers: incoming.headers, body: await text(incoming), path: incoming.url ?? '' }
    asked.push(request)
    reply(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    /** What the answers to come are. */
    reply(next: Reply) {
      reply = next
    },
    async end() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Answers with a status and a body of JSON. */
export const answering =
  (status: number, body: object, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', ...headers }).end(JSON.stringify(body))
  }
