import * as v from 'valibot'
import { type GuardedFetch, guardedFetch } from '../../outside/guarded-fetch.ts'
import { outsideErrorOf } from '../../outside/outside-error.ts'
import { isOutsideUrl } from '../../outside/public-address.ts'

export const wellKnown = '/.well-known/openid-configuration'

const Address = v.pipe(v.string(), v.maxLength(2_048), v.check(isOutsideUrl))
const Names = v.pipe(v.array(v.pipe(v.string(), v.maxLength(100))), v.maxLength(100))

/** Issuer without query or fragment. The maximum length keeps table keys that contain an issuer below DynamoDB's limit of 2,048 bytes. */
const Issuer = v.pipe(Address, v.regex(/^[^?#]+$/), v.maxLength(1_000))

/** Members of a provider's metadata that this service uses (OpenID Connect Discovery 1.0, 3). */
const DiscoveryDocument = v.object({
  issuer: Issuer,
  authorization_endpoint: Address,
  token_endpoint: Address,
  jwks_uri: Address,
  userinfo_endpoint: v.optional(Address),
  token_endpoint_auth_methods_supported: v.optional(Names),
  id_token_signing_alg_values_supported: v.optional(Names),
  userinfo_signing_alg_values_supported: v.optional(Names),
  /** True if authorization responses contain the issuer (RFC 9207). */
  authorization_response_iss_parameter_supported: v.optional(v.boolean()),
  /** Supported values of `prompt` (Initiating User Registration via OpenID Connect 1.0, 3.2). A malformed list is ignored. */
  prompt_values_supported: v.fallback(v.optional(Names), undefined),
  /** Address to which the browser is sent to log out (OpenID Connect RP-Initiated Logout 1.0, 2.1). A malformed address is ignored. */
  end_session_endpoint: v.fallback(v.optional(Address), undefined),
})
export type DiscoveryDocument = v.InferOutput<typeof DiscoveryDocument>

const DocumentText = v.pipe(v.string(), v.parseJson(), DiscoveryDocument)

/** Address of an issuer's discovery document (OpenID Connect Discovery 1.0, 4). */
export const documentUriOf = (issuer: string): string => `${issuer.replace(/\/$/, '')}${wellKnown}`

/**
 * Converts a submitted address to the address of the discovery document. An issuer is accepted too, because the consoles of providers
 * display it first.
 */
export const documentUriFor = (sent: string): string => (sent.endsWith(wellKnown) ? sent : documentUriOf(sent))

/** Fetches a discovery document. Returns null if the response is not a valid document. @throws OutsideError if no response arrives */
export async function readDiscoveryDocument(uri: string, fetch: GuardedFetch): Promise<DiscoveryDocument | null> {
  const response = await fetch(uri, { headers: { accept: 'application/json' } })
  if (response.status !== 200) return null
  const { success, output } = v.safeParse(DocumentText, await response.text())
  return success ? output : null
}

const timeoutMs = 5_000

/** Validation messages for `discovery_document_uri` (A25.2(3)). */
export type DiscoveryFailure = 'is invalid' | 'could not be read'

/** Reads the issuer from a discovery document. Tests replace `read`. */
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
