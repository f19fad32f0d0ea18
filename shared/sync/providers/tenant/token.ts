import type { GuardedFetch } from '../../../outside/guarded-fetch.ts'
import type { Call } from '../call.ts'
import { exchange } from '../exchange.ts'
import { newTokenOf } from '../token-answer.ts'
import { type TokenSource, tokenSource } from '../token-source.ts'
import type { GraphConnection } from './connection.ts'
import { graphTokenFault } from './errors.ts'

/** Tokens of the app registration by its secret, for the cloud that is asked. */
export function graphTokens(connection: GraphConnection, fetch: GuardedFetch): TokenSource {
  const { tokenUrl, apiUrl, clientId, clientSecret } = connection
  const call: Call = { method: 'POST', url: new URL(tokenUrl) }
  return tokenSource(async () => {
    const body = new URLSearchParams({
      client_id: clientId,
      client_secret: clientSecret,
      scope: `${new URL(apiUrl).origin}/.default`,
      grant_type: 'client_credentials',
    })
    const answer = await exchange(call, () => fetch(call.url, { method: 'POST', body }), [clientSecret])
    if (answer.status !== 200) throw graphTokenFault(call, answer)
    return newTokenOf(call, answer)
  })
}
