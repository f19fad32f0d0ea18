import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'

const patience = { connectMs: 1_000, answerMs: 5_000 }

export type Posted = { status: number; headers: IncomingHttpHeaders; text: string }

/** Node's own modules are loaded with the first request: what is imported is paid for by every cold start. */
const protocols = {
  'http:': () => process.getBuiltinModule('node:http'),
  'https:': () => process.getBuiltinModule('node:https'),
}
const agents = new Map<string, Agent>()

function transportOf({ protocol }: URL) {
  if (protocol !== 'http:' && protocol !== 'https:') throw new Error(`Requests are sent by HTTP, not ${protocol}`)
  const { Agent, request } = protocols[protocol]()
  const agent = agents.get(protocol) ?? new Agent({ keepAlive: true, maxSockets: 50 })
  agents.set(protocol, agent)
  return { request, agent }
}

const timeout = (what: string): Error => Object.assign(new Error(what), { name: 'TimeoutError' })

/** A request whose connection is not made in time fails soon, so that another attempt has time. */
function limitConnecting(request: ClientRequest, connectMs: number): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return
    const timer = setTimeout(
      () => request.destroy(timeout(`No connection was made in ${connectMs} ms.`)),
      connectMs,
    ).unref()
    const made = () => clearTimeout(timer)
    socket.once('connect', made).once('close', made)
  })
}

function textOf(answer: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    answer.setEncoding('utf8')
    answer.on('data', (part: string) => {
      text += part
    })
    answer.once('end', () => resolve(text))
    answer.once('error', reject)
  })
}

/**
 * Posts a text on a connection that is kept. @throws what Node says of a connection that broke, and an Error named
 * `TimeoutError` when there is none within a second, or no whole answer within five
 */
export async function httpPost(
  endpoint: URL,
  headers: Record<string, string>,
  body: string,
  { connectMs, answerMs } = patience,
): Promise<Posted> {
  const { request: begin, agent } = transportOf(endpoint)
  const { hostname, port, pathname: path } = endpoint
  const request = begin({
    hostname: hostname.replace(/[[\]]/g, ''),
    port,
    path,
    method: 'POST',
    agent,
    headers,
    setHost: false,
  })
  const timer = setTimeout(() => request.destroy(timeout(`No answer came in ${answerMs} ms.`)), answerMs)
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve)
      // It stays: what fails behind the answer is told by the answer, too.
      request.on('error', reject)
      limitConnecting(request, connectMs)
      request.end(body)
    })
    return { status: answer.statusCode ?? 0, headers: answer.headers, text: await textOf(answer) }
  } finally {
    clearTimeout(timer)
  }
}
