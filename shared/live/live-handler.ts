import { endpoint, type Middleware } from '../core/work/endpoint.ts'

/** WebSocket event of API Gateway. Only `$connect` has headers and a query string. */
export type LiveEvent = {
  headers?: Record<string, string | undefined>
  queryStringParameters?: Record<string, string | undefined> | null
  requestContext: { connectionId: string; requestId: string; identity: { sourceIp: string } }
  body?: string
  isBase64Encoded: boolean
}

/** Response to API Gateway. Any status other than 200 rejects a handshake. API Gateway sends the `body` of a reply to the device. */
export type LiveResponse = { statusCode: number; headers?: Record<string, string>; body?: string }

export type LiveHandler = (event: LiveEvent, context?: { awsRequestId?: string }) => Promise<LiveResponse>

type LiveWork<S> = {
  open: (event: LiveEvent) => S
  steps?: readonly Middleware<LiveEvent, LiveResponse, S>[]
  handle: (event: LiveEvent, state: S) => Promise<LiveResponse>
  fail?: (error: unknown, state: S) => LiveResponse
}

const rethrow = (error: unknown): never => {
  throw error
}

/** Creates a handler of the live channel. Log lines name the connection and never contain messages or tokens. */
export const liveHandler = <S>(
  route: '$connect' | '$default' | '$disconnect',
  { open, steps = [], handle, fail = rethrow }: LiveWork<S>,
): LiveHandler =>
  endpoint<LiveEvent, LiveResponse, S>({
    line: 'live',
    fields({ requestContext: { requestId: request_id, connectionId: connection_id } }, { awsRequestId }) {
      return { class: 'live', operation: route, request_id, function_request_id: awsRequestId, connection_id }
    },
    open,
    steps,
    handle: (state, event) => handle(event, state),
    fail,
  })

/** `User-Agent` of the pulse's handshake, which distinguishes its log lines from those of devices. */
export const pulseAgent = 'network-access-pulse'
