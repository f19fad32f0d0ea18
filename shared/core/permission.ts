/** Collections for which scopes and permissions exist (A3.2). */
export const collections = [
  'actors',
  'groups',
  'policies',
  'resources',
  'sites',
  'gateways',
  'clients',
  'tokens',
  'providers',
  'directories',
  'mdm',
  'logs',
  'v0',
] as const

export type Permission = `${(typeof collections)[number]}:${'read' | 'write'}`

/** True when one of the scopes includes the permission. `write` includes `read` (A3.2). */
export function covers(scopes: readonly string[], permission: Permission): boolean {
  const [collection, action] = permission.split(':')
  const enough =
    action === 'read' ? ['*', '*:read', `${collection}:read`, `${collection}:write`] : ['*', `${collection}:write`]
  return enough.some((scope) => scopes.includes(scope))
}
