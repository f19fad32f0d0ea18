import type { Event } from '../exchange.ts'

/** What API Gateway tells of a WebSocket. Headers and query come at `$connect` only. */
export type LiveEvent = {
  headers?: Record<string, string | undefined>
  queryStringParameters?: Record<string, string | undefined> | null
  requestContext: {
    connectionId: string
    requestId: string
    identity: { sourceIp: string }
  }
  body?: string
  isBase64Encoded: boolean
}

/** A handshake is refused by any status but 200; the `body` that answers a message reaches the device. */
export type LiveAnswer = { statusCode: number; headers?: Record<string, string>; body?: string }

export type LiveHandler = (event: LiveEvent, context?: { awsRequestId?: string }) => Promise<LiveAnswer>

/** A handshake as the steps of a request read it: header names come as the device spelled them. */
export const handshakeOf = ({ headers = {}, requestContext }: LiveEvent): Event => {
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const { sourceIp } = requestContext.identity
  return { headers: Object.fromEntries(lowered), requestContext: { http: { sourceIp } } } as Event
}
