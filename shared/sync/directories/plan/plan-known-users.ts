import { isInDomains } from '../../../values/email-domains.ts'
import { perLookup } from '../../plans/batches.ts'
import type { RunSkipped } from '../../runs/run.ts'
import type { SnapshotUser } from '../read/snapshot.ts'
import { adminNotMatched } from './directory-plan.ts'
import { identityRows, type Own } from './own-identities.ts'
import { type Planning, skipPerson } from './planning.ts'
import { profileHash, profileOfUser, type UsableUser, userEntry } from './user-entry.ts'

/**
 * Registers everybody of the snapshot, and plans known identities that differ.
 * @returns known identities of people who are not active
 */
export async function planKnownUsers(planning: Planning): Promise<Own[]> {
  const { work, chunks, root, domains, sheet, own, untouchable, people } = planning
  const changed: { user: UsableUser; own: Own }[] = []
  const inactive: Own[] = []
  const unusable = new Map<string, RunSkipped>()
  const flush = async () => {
    const rows = await identityRows(
      work,
      changed.map(({ own }) => own),
    )
    for (const [i, { user, own }] of changed.entries()) {
      await sheet.add('users', userEntry(user, own, rows[i] ?? null, own.actor))
    }
    changed.length = 0
  }
  for await (const user of chunks.each<SnapshotUser>(root.users)) {
    const before = people.get(user.idp_id)
    const known = own.byIdpId.get(user.idp_id)
    if ('unusable' in user) {
      if (before) continue
      people.set(user.idp_id, { actor: known?.actor ?? null, state: 'unusable' })
      unusable.set(user.idp_id, { idp_id: user.idp_id, name: user.name, reason: user.unusable })
      continue
    }
    if (before && before.state !== 'unusable') continue
    unusable.delete(user.idp_id)
    const isOutside = user.active && !isInDomains(user.email, domains)
    const state = isOutside ? 'outside' : user.active ? 'active' : 'inactive'
    people.set(user.idp_id, { actor: known?.actor ?? null, state })
    if (isOutside) work.skip({ idp_id: user.idp_id, name: user.name, reason: 'outside_domains' })
    if (isOutside || !known) continue
    if (known.owner === 'other') work.skip({ idp_id: user.idp_id, name: user.name, reason: 'other_directory' })
    else if (known.owner === 'nobody' && untouchable.has(known.actor)) {
      skipPerson(planning, { ...user, reason: adminNotMatched }, known.actor)
    } else if (!user.active) inactive.push(known)
    else if (known.owner !== 'this' || known.profileHash !== profileHash(profileOfUser(user))) {
      changed.push({ user, own: known })
    }
    if (changed.length === perLookup) await flush()
  }
  await flush()
  for (const skipped of unusable.values()) work.skip(skipped)
  work.run.seen.users = [...people.values()].filter(({ state }) => state !== 'unusable').length
  return inactive
}
