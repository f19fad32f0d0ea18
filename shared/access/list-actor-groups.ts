import { actors, isPerson } from '../domain/actors/actor.ts'
import { groups } from '../domain/groups/group.ts'
import { memberships } from '../domain/memberships/membership.ts'
import { partition } from '../table/keys.ts'
import { readPosition } from '../table/page-cursor.ts'
import { existingRow, getRows, sortKeysOf } from '../table/read.ts'
import type { Page } from '../values/page.ts'
import { accessPage } from './access-list.ts'
import { managedGroupId } from './decide.ts'

/**
 * Lists the groups of an actor in the order of A7.2, for a person with the managed group (K11.G4). A page reads one range of the actor's
 * memberships.
 * @throws ApiError 404
 */
export async function listActorGroups(account: string, actorId: string, page: Page) {
  // Reports an invalid cursor before an unknown actor (A4).
  await readPosition(page)
  const actor = await existingRow(actors, account, actorId)
  const managedId = isPerson(actor.type) ? await managedGroupId(account) : null
  return accessPage(page, {
    async read({ after, backward, limit }) {
      const isInRange = (id: string) => after === undefined || (backward ? id < after : id > after)
      const ids = await sortKeysOf(partition(account, memberships.name, actorId), { after, backward, limit })
      const all = managedId !== null && isInRange(managedId) ? [...ids, managedId].sort() : ids.toSorted()
      return (backward ? all.reverse() : all).slice(0, limit)
    },
    async accept(ids) {
      const rows = await getRows(groups, account, ids)
      return rows.flatMap((row) => (row ? [{ id: row.id, row }] : []))
    },
  })
}
