import { type GuardedFetch, guardedFetch } from '../../outside/guarded-fetch.ts'
import { outsideErrorOf } from '../../outside/outside-error.ts'
import { isOutsideUrl } from '../../outside/outside-url.ts'

const timeoutMs = 5_000
const wellKnown = '/.well-known/openid-configuration'

/** The message under `discovery_document_uri` (A25.2(3)). */
export type DiscoveryFailure = 'is invalid' | 'could not be read'

const isEndpoint = (value: unknown): value is string => typeof value === 'string' && isOutsideUrl(value)

/** The issuer has no query or fragment, and the document stands at its address (OpenID Connect Discovery 1.0, 3 and 4.3). */
function issuerIn(text: string, uri: string): string | null {
  const { issuer, authorization_endpoint, token_endpoint, jwks_uri } = JSON.parse(text)
  const complete = [issuer, authorization_endpoint, token_endpoint, jwks_uri].every(isEndpoint) && !/[?#]/.test(issuer)
  return complete && `${issuer.replace(/\/$/, '')}${wellKnown}` === uri ? issuer : null
}

/** Reads the issuer from an OpenID Connect discovery document. Tests replace `read`. */
export const discovery = {
  async read(
    uri: string,
    fetch: GuardedFetch = guardedFetch({ timeoutMs }),
  ): Promise<{ issuer: string } | { failure: DiscoveryFailure }> {
    try {
      const answer = await fetch(uri, { headers: { accept: 'application/json' } })
      const issuer = answer.status === 200 ? issuerIn(await answer.text(), uri) : null
      return issuer === null ? { failure: 'could not be read' } : { issuer }
    } catch (error) {
      return { failure: outsideErrorOf(error)?.reason === 'refused' ? 'is invalid' : 'could not be read' }
    }
  },
}
