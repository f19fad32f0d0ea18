import { batches } from '../../plans/batches.ts'
import { identityRows, type Own } from './own-identities.ts'
import type { Planning } from './planning.ts'
import { identityEntry } from './user-entry.ts'

/** Plans the end of identities that the provider itself names as not active. */
export async function planInactive(planning: Planning, inactive: Own[]): Promise<void> {
  const { work, sheet, own, inactiveActors, withheld } = planning
  for await (const batch of batches(inactive.filter(({ id }) => !withheld.has(id)))) {
    for (const row of await identityRows(work, batch)) {
      if (!row) continue
      inactiveActors.add(row.actor_id)
      own.count(row.actor_id, -1)
      if (row.directory_id === work.sourceId) sheet.losses.identities.named++
      await sheet.add('inactive', identityEntry(row))
    }
  }
}
