import { useQueries } from '@tanstack/react-query'
import { send } from '../client/request.ts'
import type { ReferenceName } from '../collection/collection.ts'
import { type Names, useNamesState } from '../collection/references.ts'
import type { Change } from './entries.ts'
import { idsInChanges, nameOf, rowOf } from './objects.ts'

/** Maximum number of histories that are read for the names of deleted objects. */
const maxHistories = 5

/**
 * Resolves the ids in change entries. Deleted objects are named from the entries themselves, then from their histories (K9.2). Returns
 * undefined for an id that remains unknown.
 */
export function useLogNames(changes: Change[]): Names {
  const wanted = idsInChanges(changes)
  const { names: served, isLoading } = useNamesState(wanted)
  const inEntries = new Map(
    changes.flatMap((change) => {
      const { id, name } = rowOf(change)
      return typeof name === 'string' ? [[`${change.object} ${id}`, name]] : []
    }),
  )
  const missing = isLoading
    ? []
    : (Object.entries(wanted) as [ReferenceName, string[]][]).flatMap(([to, ids]) =>
        ids.filter((id) => !inEntries.has(`${to} ${id}`) && served(to, id) === undefined).map((id) => ({ to, id })),
      )
  const histories = useQueries({
    queries: missing
      .slice(0, maxHistories)
      .map(({ id }) => ({
        queryKey: ['history name', id],
        queryFn: () => send('GET /logs', { query: { type: 'change', object_id: id, limit: 1, total_limit: 0 } }),
        staleTime: Number.POSITIVE_INFINITY,
      })),
  })
  for (const [index, { data }] of histories.entries()) {
    const [entry] = (data?.answer.data ?? []) as Change[]
    const to = missing[index]?.to
    if (entry && to) inEntries.set(`${to} ${missing[index]?.id}`, nameOf(entry, served).name)
  }
  return (to, id) => served(to, id) ?? inEntries.get(`${to} ${id}`)
}
