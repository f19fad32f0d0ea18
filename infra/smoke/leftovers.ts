import { Problem } from '../../docs/examples/service.ts'
import type { AccountApi, CreatedObject } from './run.ts'

/** Name of all objects that a run creates. Because the name is exact, one filtered list per collection finds leftovers. */
export const mark = 'smoke-run: created by npm run smoke, safe to delete'

/** Collections in which a run creates objects, in order of deletion. The run's other objects are deleted together with these. */
const collections = { 'auth provider': '/email_otp_auth_providers', actor: '/actors', group: '/groups', site: '/sites' }
export type Leftover = { kind: string; path: string; id: string }

export async function findLeftovers(api: AccountApi): Promise<Leftover[]> {
  const found: Leftover[] = []
  for (const [kind, path] of Object.entries(collections)) {
    const rows = await api.list<CreatedObject>(path, { name: mark, limit: '1000' })
    found.push(...rows.map(({ id }) => ({ kind, path, id })))
  }
  return found
}

/** Time of creation in milliseconds since 1970, from the first 48 bits of the id (UUID version 7). */
export const createdAt = ({ id }: Leftover): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/**
 * Deletes the objects of a run, and returns a summary by kind.
 * @throws Error naming the objects that could not be deleted
 */
export async function deleteLeftovers(api: AccountApi, found: Leftover[]): Promise<string> {
  const failures: string[] = []
  for (const { kind, path, id } of found) {
    try {
      await api.delete(`${path}/${id}`)
    } catch (error) {
      const isDeleted = error instanceof Problem && error.status === 404
      if (!isDeleted) failures.push(`${kind} ${id} (${(error as Error).message})`)
    }
  }
  if (failures.length > 0) throw new Error(`not deleted: ${failures.join('; ')}; run --clean-up to try again`)
  return found.length === 0 ? 'nothing to delete' : `deleted: ${found.map(({ kind }) => kind).join(', ')}`
}
