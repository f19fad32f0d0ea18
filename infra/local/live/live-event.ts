import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The routes of a WebSocket API. */
export type LiveRoute = '$connect' | '$default' | '$disconnect'

const eventTypes = { $connect: 'CONNECT', $default: 'MESSAGE', $disconnect: 'DISCONNECT' }

/** A connection as the platform knows it: who opened it, and when. */
export type Opened = { connectionId: string; connectedAt: number; sourceIp: string; userAgent: string | null }

/** What every event of a WebSocket API says of its connection. */
const contextOf = (route: LiveRoute, { connectionId, connectedAt, sourceIp, userAgent }: Opened) => ({
  routeKey: route,
  eventType: eventTypes[route],
  connectionId,
  connectedAt,
  messageDirection: 'IN',
  requestId: randomUUID(),
  extendedRequestId: randomUUID(),
  requestTimeEpoch: Date.now(),
  identity: { sourceIp, userAgent },
  domainName: 'localhost',
  stage: 'live',
  apiId: 'local',
})

/** The handshake, as API Gateway tells it: each header once and as a list, the names as they came. */
export function connectEvent(opened: Opened, { rawHeaders, url = '' }: IncomingMessage) {
  const multiValueHeaders: Record<string, string[]> = {}
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2)
    multiValueHeaders[name] = [...(multiValueHeaders[name] ?? []), value]
  }
  const query = new URLSearchParams(url.split('?')[1] ?? '')
  const multiValueQuery = Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]))
  const last = (lists: Record<string, string[]>) =>
    Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.at(-1)]))
  return {
    headers: last(multiValueHeaders),
    multiValueHeaders,
    ...(query.size > 0 && {
      queryStringParameters: last(multiValueQuery),
      multiValueQueryStringParameters: multiValueQuery,
    }),
    requestContext: contextOf('$connect', opened),
    isBase64Encoded: false,
  }
}

export const messageEvent = (opened: Opened, data: Buffer, isBinary: boolean) => ({
  requestContext: { ...contextOf('$default', opened), messageId: randomUUID() },
  body: data.toString(isBinary ? 'base64' : 'utf8'),
  isBase64Encoded: isBinary,
})

export const disconnectEvent = (opened: Opened, code: number, reason: string) => ({
  requestContext: {
    ...contextOf('$disconnect', opened),
    disconnectStatusCode: code,
    disconnectReason: reason,
  },
  isBase64Encoded: false,
})
