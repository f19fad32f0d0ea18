import { connect } from '#shared/access/connect-session.ts'
import { isAdministering } from '#shared/auth/caller.ts'
import { ApiError, notFound, unauthorized } from '#shared/core/errors.ts'
import { isPathId } from '#shared/core/ids.ts'
import { note } from '#shared/core/logging/invocation.ts'
import { bearerToken, tokenPrefixes } from '#shared/core/secrets/token.ts'
import { checkCredential, checkRateLimit } from '#shared/http/credentials.ts'
import { type Event, type Exchange, openExchange, type Step } from '#shared/http/exchange.ts'
import { readOrigin } from '#shared/http/origin.ts'
import { problem } from '#shared/http/problem.ts'
import { type LiveEvent, type LiveResponse, liveHandler, pulseAgent } from '#shared/live/live-handler.ts'

/** Converts a handshake to the request that the pipeline steps expect, with header names in lower case. */
const handshakeOf = ({ headers = {}, requestContext }: LiveEvent): Event => {
  const headerEntries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const { sourceIp } = requestContext.identity
  return { headers: Object.fromEntries(headerEntries), requestContext: { http: { sourceIp } } } as Event
}

type Handshake = { exchange: Exchange; request: Event }

/** Checks the request in this order: browser, origin, token, rate limit. The handler checks the session last. */
const steps: Step[] = [
  (_exchange, { headers }) => {
    if (headers['user-agent'] === pulseAgent) note({ is_pulse: true })
    // Rejects browsers, which send `Origin`, so that web pages cannot open a channel.
    if (headers.origin !== undefined) throw new ApiError('forbidden', 'The live channel is not for browsers.')
  },
  readOrigin,
  (exchange, request) => checkCredential(kindOf(request.headers.authorization))(exchange, request),
  checkRateLimit,
]

/** Handles `$connect`: a client or gateway opens the connection for its session (C2). A refusal is returned as a problem response (A5). */
export const handler = liveHandler<Handshake>('$connect', {
  open(event) {
    const request = handshakeOf(event)
    const exchange = openExchange(request)
    // Uses API Gateway's request id in the log lines of the connection.
    note({ request_id: event.requestContext.requestId })
    return { request, exchange }
  },
  steps: steps.map((step) => async ({ exchange, request }) => {
    await step(exchange, request)
  }),
  async handle({ queryStringParameters, requestContext }, { exchange: { caller, subject } }) {
    const sessionId = queryStringParameters?.session_id ?? ''
    if (!isPathId(sessionId)) throw notFound()
    if (!caller || isAdministering(caller) || !subject) throw unauthorized()
    await connect(caller, subject, { sessionId: sessionId.toLowerCase(), connectionId: requestContext.connectionId })
    return { statusCode: 200 }
  },
  fail: (error, { exchange: { requestId, headers } }) => problem(error, requestId, headers) as LiveResponse,
})

const kindOf = (authorization: string | undefined): 'client' | 'gateway' =>
  bearerToken(authorization)?.startsWith(tokenPrefixes.gateway) ? 'gateway' : 'client'
