const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Creates a random text of 43 characters, for a verifier or a state. */
export const createSecret = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)))

/** Computes the S256 challenge of a verifier (RFC 7636, 4.2). */
export const challengeOf = async (verifier: string): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))

export type StartedSignIn = { slug: string; state: string; verifier: string; returnTo: string; tab: 'same' | 'new' }

/** Builds the address of the sign-in page for a started sign-in (K3.1). */
export async function signInAddress(origin: string, { slug, state, verifier }: StartedSignIn): Promise<string> {
  const query = new URLSearchParams({
    context: 'portal',
    redirect_uri: `${origin}/console/signed_in`,
    state,
    code_challenge: await challengeOf(verifier),
  })
  return `/sign_in/${encodeURIComponent(slug)}?${query}`
}

type Address = Pick<URL, 'protocol' | 'hostname' | 'hash'>

/**
 * Reads the code and verifier of a one-time sign-in from the fragment of an address; undefined if it has none (K2.7). An address of a
 * deployment never has one, because a link with the code of another account would sign a person in to that account.
 */
export function oneTimeSignIn({ protocol, hostname, hash }: Address): { code: string; verifier: string } | undefined {
  if (protocol !== 'http:' || hostname !== '127.0.0.1') return undefined
  const fields = new URLSearchParams(hash.replace(/^#/, ''))
  const [code, verifier] = [fields.get('code'), fields.get('verifier')]
  return code && verifier ? { code, verifier } : undefined
}

/** Limits the return path of a sign-in to the console of the account, so that a planted value redirects nowhere else. */
export const safeReturn = (slug: string, path: string): string =>
  path === `/console/${slug}` || path.startsWith(`/console/${slug}/`) ? path : `/console/${slug}`
