import { type GuardedFetch, guardedFetch } from '../../outside/guarded-fetch.ts'
import { outsideErrorOf } from '../../outside/outside-error.ts'
import { documentUriOf, readDiscoveryDocument } from './discovery-document.ts'

const timeoutMs = 5_000

/** The message under `discovery_document_uri` (A25.2(3)). */
export type DiscoveryFailure = 'is invalid' | 'could not be read'

/** Reads the issuer from an OpenID Connect discovery document, which stands at its address. Tests replace `read`. */
export const discovery = {
  async read(
    uri: string,
    fetch: GuardedFetch = guardedFetch({ timeoutMs }),
  ): Promise<{ issuer: string } | { failure: DiscoveryFailure }> {
    try {
      const document = await readDiscoveryDocument(uri, fetch)
      return document && documentUriOf(document.issuer) === uri
        ? { issuer: document.issuer }
        : { failure: 'could not be read' }
    } catch (error) {
      return { failure: outsideErrorOf(error)?.reason === 'refused' ? 'is invalid' : 'could not be read' }
    }
  },
}
