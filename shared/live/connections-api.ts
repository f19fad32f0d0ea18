import { type SignedRequest, signedAnswer, uriEncode } from '../core/aws/signed-fetch.ts'
import { env } from '../core/env.ts'

/** What became of a message: `gone` where the platform knows the connection no more. */
export type Sending = 'sent' | 'gone' | 'failed'

/** A device that does not read must not hold up others. */
const timeoutMs = 1_000

async function ask(
  method: 'POST' | 'DELETE',
  connectionId: string,
  { body, headers }: Pick<SignedRequest, 'body' | 'headers'> = {},
): Promise<Sending> {
  const { protocol, host, pathname } = new URL(env.liveEndpoint)
  try {
    const response = await signedAnswer(
      {
        service: 'execute-api',
        method,
        scheme: protocol === 'http:' ? 'http' : 'https',
        host,
        path: `${pathname.replace(/\/$/, '')}/${uriEncode('@connections')}/${uriEncode(connectionId)}`,
        body,
        headers,
      },
      timeoutMs,
    )
    await response.body?.cancel()
    if (response.ok) return 'sent'
    return response.status === 410 ? 'gone' : 'failed'
  } catch {
    return 'failed'
  }
}

/** Hands a message to the platform for a connection. Never throws: a nudge that fails costs time, nothing else (C5.4). */
export const postMessage = (connectionId: string, message: object): Promise<Sending> =>
  ask('POST', connectionId, { body: JSON.stringify(message) })

/**
 * Ends a connection. API Gateway gives no other close code than 1000 and does not look at the header; where another platform can,
 * as on one machine, the device gets the code of the contract.
 */
export const closeConnection = (connectionId: string, code?: number): Promise<Sending> =>
  ask('DELETE', connectionId, code === undefined ? {} : { headers: { 'x-close-code': String(code) } })
