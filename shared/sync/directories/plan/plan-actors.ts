import { actors } from '../../../domain/actors/actor.ts'
import { edgePartition } from '../../../table/keys.ts'
import { getRows, sortKeysOf } from '../../../table/read.ts'
import { batches } from '../../plans/batches.ts'
import { losesIdentities, type Planning } from './planning.ts'

/** Actors that the directory has made, and that no identity is left of. */
export async function planActors(planning: Planning): Promise<void> {
  const { work, sheet } = planning
  const made = await sortKeysOf(edgePartition(work.accountId, actors.name, 'created_by_directory_id', work.sourceId))
  for await (const batch of batches(made.filter((id) => losesIdentities(planning, id)))) {
    for (const row of await getRows(actors, work.accountId, batch)) {
      if (row) await sheet.add('actors', { id: row.id, name: row.name })
    }
  }
}
