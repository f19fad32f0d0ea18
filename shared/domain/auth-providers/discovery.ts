import { type GuardedFetch, guardedFetch } from '../../outside/guarded-fetch.ts'
import { outsideErrorOf } from '../../outside/outside-error.ts'
import { documentUriFor, documentUriOf, readDiscoveryDocument } from './discovery-document.ts'

const timeoutMs = 5_000

/** The message under `discovery_document_uri` (A25.2(3)). */
export type DiscoveryFailure = 'is invalid' | 'could not be read'

/** Reads the issuer from the OpenID Connect discovery document at an address. Tests replace `read`. */
export const discovery = {
  async read(
    sent: string,
    fetch: GuardedFetch = guardedFetch({ timeoutMs }),
  ): Promise<{ issuer: string } | { failure: DiscoveryFailure }> {
    const uri = documentUriFor(sent)
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
