import type { Filter } from '#shared/domain/resources/filters.ts'
import type { AccessWorld } from './access.ts'

/** As many filters and ports as a resource can have: some 900 KB of an answer. */
export const mostFilters = (): Filter[] =>
  Array.from({ length: 100 }, () => ({
    protocol: 'tcp',
    ports: Array.from({ length: 500 }, (_, i) => `${10_000 + 100 * i} - ${10_099 + 100 * i}`),
  }))

/** Lets the actor of a world reach so many of the largest resources; their ids, oldest first. */
export async function addLargeResources({ addResource, addPolicy }: AccessWorld, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const { id } = await addResource({ name: `Large ${i}`, filters: mostFilters() })
    await addPolicy({ resource_id: id })
    ids.push(id)
  }
  return ids
}
