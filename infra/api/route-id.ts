import type { RoutedSource } from '#functions/operations.ts'

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
const wordsOf = (text: string): string[] => text.split(/[^a-z0-9]+/i).filter(Boolean)

const namesOf = (path: string): string[] =>
  path.split('/').flatMap((segment) => {
    const names = wordsOf(segment).map(capitalized)
    return segment.startsWith('{') ? ['By', ...names] : names
  })

/** Construct id of a function, derived from its route: `PATCH /groups/{id}` → `PatchGroupsById`. */
export const routeId = (method: string, path: string): string =>
  [capitalized(method.toLowerCase()), ...namesOf(path)].join('')

/** Collection that a path belongs to, such as `groups` or `v0-users`. Operations of one collection share a nested stack. */
export function collectionOf(path: string): string {
  const [first = '', second = ''] = path.split('/').slice(1)
  return (first === 'v0' ? ['v0', ...wordsOf(second)] : wordsOf(first)).join('-')
}

/** Path that identifies a function: the operation's path, or its family's path, such as `/auth_providers/{id}`. */
export const servedPath = ({ path, family }: RoutedSource['operation']): string =>
  family === undefined ? path : path.replace(/^\/[^/]+/, `/${family}`)

export const routeKeys = ({ method, alias, path }: RoutedSource['operation']): string[] =>
  [method, ...(alias ? [alias] : [])].map((name) => `${name} ${path}`)
