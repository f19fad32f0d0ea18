import { batches } from '../../plans/batches.ts'
import { identityRows, type Own } from './own-identities.ts'
import type { Planning } from './planning.ts'
import { identityEntry } from './user-entry.ts'

/**
 * What the directory owns and the snapshot has not; who could not be used is there all the same.
 *
 * @returns the provider's ids of those of its present issuer, whose absence it can confirm
 */
export async function planLostUsers({ work, sheet, own, people, claimed, withheld }: Planning): Promise<string[]> {
  const isKept = ({ id }: Own) => claimed.has(id) || withheld.has(id)
  const gone = [...own.byIdpId.values()].filter((one) => one.owner === 'this' && !people.has(one.idpId) && !isKept(one))
  for await (const batch of batches([...gone, ...own.stale.filter((one) => !isKept(one))])) {
    for (const row of await identityRows(work, batch)) {
      if (!row) continue
      own.count(row.actor_id, -1)
      sheet.losses.identities.lost++
      await sheet.add('absent', identityEntry(row))
    }
  }
  return gone.map(({ idpId }) => idpId)
}
