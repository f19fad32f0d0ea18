import { batches } from '../../plans/batches.ts'
import { identityRows, type Own } from './own-identities.ts'
import { losesIdentities, type Planning } from './planning.ts'
import { identityEntry } from './user-entry.ts'

/**
 * Plans the end of identities that the directory owns and the snapshot lacks, or has with an email outside its domains.
 * Unusable people keep theirs.
 * @returns the provider's ids of absent people of its present issuer, whose absence it can confirm
 */
export async function planLostUsers(planning: Planning): Promise<string[]> {
  const { work, sheet, own, people, claimed, withheld } = planning
  const isKept = ({ id }: Own) => claimed.has(id) || withheld.has(id)
  const owned = [...own.byIdpId.values()].filter((one) => one.owner === 'this' && !isKept(one))
  const gone = owned.filter(({ idpId }) => !people.has(idpId))
  const outside = owned.filter(({ idpId }) => people.get(idpId)?.state === 'outside')
  for await (const batch of batches([...gone, ...outside, ...own.stale.filter((one) => !isKept(one))])) {
    for (const row of await identityRows(work, batch)) {
      if (!row) continue
      own.count(row.actor_id, -1)
      sheet.losses.identities.lost++
      await sheet.add('absent', { ...identityEntry(row), isLast: losesIdentities(planning, row.actor_id) })
    }
  }
  return gone.map(({ idpId }) => idpId)
}
