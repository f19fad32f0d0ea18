import type { Key } from '#shared/table/keys.ts'

type Sent = { Statement?: string; Parameters?: unknown[] }
type Kind = 'INSERT' | 'UPDATE' | 'DELETE' | 'SELECT'

/**
 * Parses the kind and the item key of a PartiQL statement sent by the service.
 * @throws Error if the statement has a different form
 */
export function statementKey({ Statement = '', Parameters = [] }: Sent): Key & { kind: Kind } {
  const kind = /^(INSERT|UPDATE|DELETE|SELECT)\b/.exec(Statement)?.[1] as Kind | undefined
  const names = [...Statement.matchAll(/(?:'(\w+)':|"(\w+)" =) \?/g)].map(([, field, compared]) => field ?? compared)
  const value = (name: string) => Parameters[names.lastIndexOf(name)]
  const [pk, sk] = [value('pk'), value('sk')]
  if (!kind || typeof pk !== 'string' || typeof sk !== 'string' || names.length !== Parameters.length) {
    throw new Error(`No key in the statement ${Statement}`)
  }
  return { kind, pk, sk }
}
