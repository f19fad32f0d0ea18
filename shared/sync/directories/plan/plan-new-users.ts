import { actors } from '../../../domain/actors/actor.ts'
import { tokensOfIssuers } from '../../../domain/external-identities/issued-tokens.ts'
import { guardKey, type RowPointer } from '../../../table/keys.ts'
import { getItems, getRow } from '../../../table/read.ts'
import { foldAscii } from '../../../values/fold-ascii.ts'
import { batches } from '../../plans/batches.ts'
import type { SnapshotUser } from '../read/snapshot.ts'
import { adminHasIdentity, adminNotMatched } from './directory-plan.ts'
import { identityRows, type Own } from './own-identities.ts'
import { type Planning, skipPerson } from './planning.ts'
import { type UsableUser, userEntry } from './user-entry.ts'

/** People without an identity: by their email they are somebody who is here, or new (I4.3(2), I4.3(3)). */
export async function planNewUsers(planning: Planning): Promise<void> {
  const { work, sheet, people, claimed, linked, untouchable } = planning
  const taken = new Set<string>()
  for await (const batch of batches(newcomers(planning))) {
    const guards = await getItems<RowPointer>(
      batch.map(({ email }) => guardKey(work.accountId, 'actors.email', foldAscii(String(email)))),
    )
    for (const [i, user] of batch.entries()) {
      const email = foldAscii(String(user.email))
      const actor = guards[i]?.row.sk ?? null
      const person = people.get(user.idp_id)
      const over = actor === null ? null : identityToTakeOver(planning, actor)
      const skip = (reason: string) => skipPerson(planning, { ...user, reason })
      if (actor !== null && untouchable.has(actor)) {
        skip(adminNotMatched)
        continue
      }
      if (taken.has(email) || over === 'held') {
        skip('same_email')
        continue
      }
      taken.add(email)
      if (actor && over && (await withhold(planning, actor, over))) {
        skip(adminHasIdentity)
        continue
      }
      if (over) claimed.add(over.id)
      if (actor) linked.add(actor)
      if (person) person.actor = actor
      const [row = null] = over ? await identityRows(work, [over]) : []
      await sheet.add('users', userEntry(user, over, row, actor))
    }
  }
}

async function* newcomers({ chunks, root, own, people }: Planning): AsyncGenerator<UsableUser> {
  const met = new Set<string>()
  for await (const user of chunks.each<SnapshotUser>(root.users)) {
    if ('unusable' in user || !user.active || own.byIdpId.has(user.idp_id) || met.has(user.idp_id)) continue
    if (people.get(user.idp_id)?.state === 'outside') continue
    met.add(user.idp_id)
    yield user
  }
}

/**
 * Keeps an administrator's identity from a new subject (I4.3). Plans the end of everything that it gave, since the
 * snapshot no longer has its own subject. False for identities of others.
 */
async function withhold({ work, sheet, withheld }: Planning, actorId: string, over: Own): Promise<boolean> {
  const actor = await getRow(actors, work.accountId, actorId)
  if (actor?.type !== 'account_admin_user') return false
  withheld.add(over.id)
  const [row] = await identityRows(work, [over])
  if (row && (await tokensOfIssuers(work, actorId, new Set([row.issuer]))).length > 0) {
    await sheet.add('withheld', { id: row.id, idp_id: row.idp_id, actor: actorId, name: actor.name })
  }
  return true
}

/** The identity of an actor that a person of its email gets; `held` while the snapshot has its own person, too. */
function identityToTakeOver({ own, people, claimed }: Planning, actor: string): Own | 'held' | null {
  const over = own.ofActor(actor)
  if (!over) return null
  const isHeld = over.sameIssuer && people.get(over.idpId)?.state === 'active'
  return isHeld || claimed.has(over.id) ? 'held' : over
}
