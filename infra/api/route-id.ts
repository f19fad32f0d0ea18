import type { OperationSource } from '#functions/operations.ts'

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
const wordsOf = (text: string): string[] => text.split(/[^a-z0-9]+/i).filter(Boolean)

const namesOf = (path: string): string[] =>
  path.split('/').flatMap((segment) => {
    const names = wordsOf(segment).map(capitalized)
    return segment.startsWith('{') ? ['By', ...names] : names
  })

/** Id of a function in its stack, by its route alone: `PATCH /groups/{id}` → `PatchGroupsById`. */
export const routeId = (method: string, path: string): string =>
  [capitalized(method.toLowerCase()), ...namesOf(path)].join('')

/** The collection that a path is in, `groups` or `v0-users`: its operations share a nested stack. */
export function collectionOf(path: string): string {
  const [first = '', second = ''] = path.split('/').slice(1)
  return (first === 'v0' ? ['v0', ...wordsOf(second)] : wordsOf(first)).join('-')
}

/** Path that names a function: of its operation, or of all collections of a family (`/auth_providers/{id}`). */
export const servedPath = ({ path, family }: OperationSource['operation']): string =>
  family === undefined ? path : path.replace(/^\/[^/]+/, `/${family}`)

/** Keys of an operation's routes: one for its method, and one for a method that means the same. */
export const routeKeys = ({ method, alias, path }: OperationSource['operation']): string[] =>
  [method, ...(alias ? [alias] : [])].map((name) => `${name} ${path}`)
