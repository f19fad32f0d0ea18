import { env } from '../core/env.ts'

type Request = { headers: Record<string, string | undefined>; cookies?: string[] }

/**
 * Returns the name of the cookie with an account's portal session. With `__Host-`, browsers accept the cookie only from this host and over
 * HTTPS, so no other host can plant one. A single machine has no HTTPS.
 */
const cookieName = (slug: string): string => `${env.isSingleMachine ? '' : '__Host-'}console-${slug}`

/**
 * Builds the value of `Set-Cookie` for a portal session (K3.2). Without a token, the browser removes the cookie. `Strict` withholds the
 * cookie from every request that another site starts.
 */
export const consoleCookie = (slug: string, token: string | null): string =>
  [
    `${cookieName(slug)}=${token ?? ''}`,
    ...(token === null ? ['Max-Age=0'] : []),
    ...(env.isSingleMachine ? [] : ['Secure']),
    'HttpOnly',
    'SameSite=Strict',
    'Path=/',
  ].join('; ')

/** True if a browser states that a page of this origin sent the request. Scripts cannot set this header. */
export const isSameOrigin = (headers: Request['headers']): boolean => headers['sec-fetch-site'] === 'same-origin'

/**
 * Returns the token in the cookie of the account that `X-Console` names; null if the request must not use a cookie (K3.3). Returns null for
 * two cookies of the same name, because one of them may be planted.
 */
export function readConsoleCookie({ headers, cookies = [] }: Request): { slug: string; token: string } | null {
  const slug = headers['x-console']
  if (!env.console || slug === undefined || !isSameOrigin(headers)) return null
  const start = `${cookieName(slug)}=`
  const [token, ...others] = cookies.flatMap((cookie) => (cookie.startsWith(start) ? [cookie.slice(start.length)] : []))
  return token === undefined || others.length > 0 ? null : { slug, token }
}
