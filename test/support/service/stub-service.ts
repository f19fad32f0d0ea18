import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type RecordedRequest = { headers: IncomingHttpHeaders; body: string; path: string }
type Reply = (response: ServerResponse, request: RecordedRequest) => void

/** Starts a local HTTP server that records requests and sends configurable replies. */
export async function stubService(reply: Reply) {
  const requests: RecordedRequest[] = []
  const server = createServer(async (incoming, response) => {
    const request = { headers: incoming.headers, body: await text(incoming), path: incoming.url ?? '' }
    requests.push(request)
    reply(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** Sets the reply for subsequent requests. */
    reply(next: Reply) {
      reply = next
    },
    async end() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const replyWith =
  (status: number, body: object, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', ...headers }).end(JSON.stringify(body))
  }
