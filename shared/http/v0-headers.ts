import { env } from '../core/env.ts'

/** True for paths of the legacy API (`/v0` contract, 1.4). */
export const isV0 = (path: string): boolean => path === '/v0' || path.startsWith('/v0/')

/** Splits the path after `/v0` into segments and omits empty segments (`/v0` contract, 2.4). */
export const v0Segments = (path: string): string[] =>
  path
    .split('/')
    .slice(2)
    .filter((segment) => segment !== '')

const successors: Record<string, string> = { users: '/actors', devices: '/clients', rules: '/policies' }

/** Returns the headers of every response under `/v0` (`/v0` contract, 5.4, 14). */
export function v0Headers(path: string): Record<string, string> {
  const { deprecatedAt, sunsetAt } = env.v0
  const [collection = ''] = v0Segments(path)
  return {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    deprecation: `@${Math.floor(deprecatedAt.getTime() / 1000)}`,
    ...(sunsetAt && { sunset: sunsetAt.toUTCString() }),
    link: `<${successors[collection] ?? '/account'}>; rel="successor-version"`,
  }
}
