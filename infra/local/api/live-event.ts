import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { LiveRoute } from '../../template/routes.ts'

const eventTypes = { $connect: 'CONNECT', $default: 'MESSAGE', $disconnect: 'DISCONNECT' }

/** Connection properties that API Gateway passes to functions. `connectedAt` is in milliseconds since 1970. */
export type LiveConnection = { connectionId: string; connectedAt: number; sourceIp: string; userAgent: string | null }

const buildContext = (route: LiveRoute, { connectionId, connectedAt, sourceIp, userAgent }: LiveConnection) => ({
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

/** Builds the `$connect` event. Header names keep their case, and `multiValueHeaders` lists repeated headers. */
export function connectEvent(connection: LiveConnection, { rawHeaders, url = '' }: IncomingMessage) {
  const [names, values] = [0, 1].map((part) => rawHeaders.filter((_, i) => i % 2 === part)) as [string[], string[]]
  const valuesOf = (name: string) => values.filter((_, i) => names[i] === name)
  const multiValueHeaders = Object.fromEntries(names.map((name) => [name, valuesOf(name)]))
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
    requestContext: buildContext('$connect', connection),
    isBase64Encoded: false,
  }
}

export const messageEvent = (connection: LiveConnection, data: Buffer, isBinary: boolean) => ({
  requestContext: { ...buildContext('$default', connection), messageId: randomUUID() },
  body: data.toString(isBinary ? 'base64' : 'utf8'),
  isBase64Encoded: isBinary,
})

export const disconnectEvent = (connection: LiveConnection, code: number, reason: string) => ({
  requestContext: { ...buildContext('$disconnect', connection), disconnectStatusCode: code, disconnectReason: reason },
  isBase64Encoded: false,
})
