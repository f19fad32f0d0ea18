import { connect } from '../../access/live/connect.ts'
import { isAdministering } from '../../auth/caller.ts'
import { ApiError, notFound, unauthorized } from '../../core/errors.ts'
import { isPathId } from '../../core/ids.ts'
import { note } from '../../core/logging/invocation.ts'
import { bearerToken, tokenPrefixes } from '../../core/secrets/token.ts'
import { pulseAgent } from '../../live/pulse-agent.ts'
import type { Exchange } from '../exchange.ts'
import { originOf } from '../origin.ts'
import { problem } from '../problem.ts'
import { requestIdOf } from '../request-id.ts'
import { checkCredential, checkRateLimit } from '../steps.ts'
import { handshakeOf, type LiveAnswer, type LiveEvent } from './live-event.ts'
import { watchedLive } from './watched-live.ts'

/** `$connect`: a session of a client or gateway opens its connection (C2). A refusal is a problem like any other (A5). */
export const openConnection = watchedLive('$connect', async (event) => {
  const exchange: Pick<Exchange, 'requestId' | 'headers'> & Partial<Exchange> = {
    requestId: requestIdOf(handshakeOf(event).headers['x-request-id']),
    headers: {},
  }
  try {
    await open(event, exchange as Exchange)
    return { statusCode: 200 }
  } catch (error) {
    return problem(error, exchange.requestId, exchange.headers) as LiveAnswer
  }
})

/** The order of checks: origin, token, rate limit, session. */
async function open(event: LiveEvent, exchange: Exchange): Promise<void> {
  const handshake = handshakeOf(event)
  if (handshake.headers['user-agent'] === pulseAgent) note({ is_pulse: true })
  // A browser sends one; a device has no use for it, and a page of someone else must not open a channel.
  if (handshake.headers.origin !== undefined) throw new ApiError('forbidden', 'The live channel is not for browsers.')
  exchange.origin = await originOf(handshake)
  await checkCredential(kindOf(handshake.headers.authorization))(exchange, handshake)
  const { caller, subject } = exchange
  note({ account_id: caller?.account.id })
  await checkRateLimit(exchange, handshake)
  const sessionId = event.queryStringParameters?.session_id ?? ''
  if (!isPathId(sessionId)) throw notFound()
  if (!caller || isAdministering(caller) || !subject) throw unauthorized()
  await connect(caller, subject, {
    sessionId: sessionId.toLowerCase(),
    connectionId: event.requestContext.connectionId,
  })
}

const kindOf = (authorization: string | undefined): 'client' | 'gateway' =>
  bearerToken(authorization)?.startsWith(tokenPrefixes.gateway) ? 'gateway' : 'client'
