/** Route that matches a request, with decoded path parameters. */
export type RouteMatch<T> = { target: T; key: string; parameters: Record<string, string> }

type Entry<T> = { key: string; method: string; segments: string[]; target: T }

const isVariable = (segment: string) => segment.startsWith('{')
const isGreedy = (segment: string) => segment.endsWith('+}')
const rank = (segment: string) => (isGreedy(segment) ? 2 : isVariable(segment) ? 1 : 0)

function bySpecificity<T>(left: Entry<T>, right: Entry<T>): number {
  const length = Math.max(left.segments.length, right.segments.length)
  for (let i = 0; i < length; i++) {
    const difference = rank(left.segments[i] ?? '{x+}') - rank(right.segments[i] ?? '{x+}')
    if (difference !== 0) return difference
  }
  return Number(left.method === 'ANY') - Number(right.method === 'ANY')
}

const decode = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

function match(pattern: string[], path: string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {}
  for (const [i, segment] of pattern.entries()) {
    const pathSegment = path[i]
    if (pathSegment === undefined) return undefined
    if (isGreedy(segment)) {
      parameters[segment.slice(1, -2)] = path
        .slice(i)
        .map((part) => decode(part) ?? part)
        .join('/')
      return parameters
    }
    if (isVariable(segment)) {
      if (pathSegment === '') return undefined
      parameters[segment.slice(1, -1)] = decode(pathSegment) ?? pathSegment
    } else if (segment !== pathSegment) return undefined
  }
  return pattern.length === path.length ? parameters : undefined
}

/** Creates a matcher with an HTTP API's precedence: most specific path, exact method before `ANY`, then `$default`. */
export function router<T>(routes: Array<{ key: string; target: T }>) {
  const defaultRoute = routes.find(({ key }) => key === '$default')
  const entries = routes
    .filter((route) => route !== defaultRoute)
    .map(({ key, target }): Entry<T> => {
      const [method = '', path = ''] = key.split(' ')
      return { key, method, segments: path.split('/').slice(1), target }
    })
    .sort(bySpecificity)
  return (method: string, path: string): RouteMatch<T> | undefined => {
    const segments = path.split('/').slice(1)
    for (const entry of entries) {
      if (entry.method !== method && entry.method !== 'ANY') continue
      const parameters = match(entry.segments, segments)
      if (parameters) return { target: entry.target, key: entry.key, parameters }
    }
    return defaultRoute && { target: defaultRoute.target, key: '$default', parameters: {} }
  }
}

/**
 * Decodes a path as API Gateway does (docs/decisions/0033). `routed`, which selects the route, is decoded once and truncated at `?`.
 * `rawPath`, which the function receives, is decoded twice. Returns null for an invalid encoding, to which API Gateway responds with 400.
 */
export function deliveredPath(sent: string): { routed: string; rawPath: string } | null {
  const routed = decode(sent)?.split('?')[0]
  const rawPath = routed === undefined ? null : decode(routed)
  return routed === undefined || rawPath === null ? null : { routed, rawPath }
}
