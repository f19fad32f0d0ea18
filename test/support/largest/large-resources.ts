import type { IpFilter } from '#shared/domain/resources/filters.ts'
import { type ResourceRow, resources } from '#shared/domain/resources/resource.ts'
import type { AccessWorld } from '../access/access.ts'
import { plantIds } from '../table/plant-rows.ts'

/** Returns the filters of a resource that was stored before rows had a size limit. In a response, the filters take about 900 KB. */
export const maxFilters = (): IpFilter[] =>
  Array.from({ length: 100 }, () => ({
    protocol: 'tcp',
    ports: Array.from({ length: 500 }, (_, i) => `${10_000 + 100 * i} - ${10_099 + 100 * i}`),
  }))

/** Creates `count` resources of the maximum stored size that the world's actor can access. Returns the ids, oldest first. */
export async function addLargeResources(
  { account, addPolicy, resource }: AccessWorld,
  count: number,
): Promise<string[]> {
  const { id: _id, inserted_at: _inserted, updated_at: _updated, ...fields } = resource
  const filters = maxFilters()
  const ids = await plantIds<ResourceRow>(account.id, resources, count, (i) => ({
    ...fields,
    name: `Large ${i}`,
    filters,
  }))
  for (const resource_id of ids) await addPolicy({ resource_id })
  return ids
}
