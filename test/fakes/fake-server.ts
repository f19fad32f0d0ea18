import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type FakeRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: string
  form: URLSearchParams
}
export type FakeAnswer = { status?: number; headers?: Record<string, string | string[]>; json?: unknown; text?: string }

/** Replaces the response to a request. Returns null if the fault does not affect the request. */
export type Fault = (request: FakeRequest, answer: () => FakeAnswer) => FakeAnswer | null | Promise<FakeAnswer | null>

export type FakeServer = {
  /** Address in the form `http://127.0.0.1:<port>`. */
  url: string
  requests: FakeRequest[]
  /** Active faults. The first fault that affects a request determines the response. */
  faults: Fault[]
  close(): Promise<void>
}

/** Error that a route throws in order to respond with `answer`. */
export class Refusal extends Error {
  readonly answer: FakeAnswer

  constructor(answer: FakeAnswer) {
    super('refused')
    this.answer = answer
  }
}

async function read(incoming: IncomingMessage): Promise<FakeRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1')
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body,
    form: new URLSearchParams(body),
  }
}

function answerOf(route: (request: FakeRequest) => FakeAnswer, request: FakeRequest): FakeAnswer {
  try {
    return route(request)
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    return { status: 500, json: { error: String(error) } }
  }
}

async function answerWithFaults(server: FakeServer, route: (request: FakeRequest) => FakeAnswer, request: FakeRequest) {
  for (const fault of server.faults) {
    const answer = await fault(request, () => answerOf(route, request))
    if (answer) return answer
  }
  return answerOf(route, request)
}

/** Starts a local server that fakes a provider. `route` responds from the current data of the fake. */
export async function fakeServer(route: (request: FakeRequest) => FakeAnswer, port = 0): Promise<FakeServer> {
  const server: FakeServer = { url: '', requests: [], faults: [], close: async () => {} }
  const http = createServer(async (incoming, outgoing) => {
    const request = await read(incoming)
    server.requests.push(request)
    const { status = 200, headers = {}, json, text } = await answerWithFaults(server, route, request)
    const type = json === undefined ? 'text/html' : 'application/json; charset=utf-8'
    outgoing.writeHead(status, { 'content-type': type, ...headers })
    outgoing.end(json === undefined ? (text ?? '') : JSON.stringify(json))
  })
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  server.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  server.close = () =>
    new Promise((resolve) => {
      http.close(() => resolve())
      http.closeAllConnections()
    })
  return server
}
