import type { Transaction } from '../../commit/transaction.ts'
import { type ActorRow, actors } from '../../domain/actors/actor.ts'
import { stageActorDeletion } from '../../domain/actors/delete-actor.ts'
import { stageIdentityDeletions } from '../../domain/external-identities/delete-external-identity.ts'
import { externalIdentities } from '../../domain/external-identities/external-identity.ts'
import { getRow, rowsBy } from '../../table/read.ts'
import type { ActorEntry, IdentityEntry } from './directory-plan.ts'
import { nothingStaged, type Staged, stagedSkip } from './stage-result.ts'

/** What a run of a directory knows of itself when it stages changes. */
export type DirectoryStage = { transaction: Transaction; sourceId: string; issuer: string; startedAt: string }

/** The last enabled administrator stays, with its identity (I4.7(1)). */
async function isLastAdmin(transaction: Transaction, actor: ActorRow | null): Promise<boolean> {
  if (actor?.type !== 'account_admin_user' || actor.is_disabled) return false
  return transaction.count('actors.enabled.account_admin_user') <= 1
}

/** Takes identities away, first the client tokens that were made for them (I4.5). */
export async function applyLostIdentities(
  { transaction, sourceId, issuer, startedAt }: DirectoryStage,
  entries: IdentityEntry[],
  isNamed: boolean,
): Promise<Staged> {
  const staged = nothingStaged()
  for (const { id, idp_id, name } of entries) {
    if (!transaction.hasRoom()) return staged
    const row = await transaction.get(externalIdentities, id)
    const isOurs = row?.directory_id === sourceId || (isNamed && row?.directory_id === null && row.issuer === issuer)
    if (row && isOurs && row.idp_id === idp_id) {
      const actor = await transaction.get(actors, row.actor_id)
      if (row.updated_at > startedAt) stagedSkip(staged, idp_id, name, 'changed_since')
      else if (await isLastAdmin(transaction, actor)) stagedSkip(staged, idp_id, name, 'last_admin')
      else {
        if ((await stageIdentityDeletions(transaction, [row])) === 'more') return staged
        staged.changes.push({ object: 'users', change: 'delete' })
      }
    }
    staged.handled++
  }
  return staged
}

/** Deletes actors that the directory has made and that have no identity left. */
export async function applyLostActors(
  { transaction, sourceId, startedAt }: DirectoryStage,
  entries: ActorEntry[],
): Promise<Staged> {
  const staged = nothingStaged()
  let admins = transaction.count('actors.enabled.account_admin_user')
  for (const { id, name } of entries) {
    if (!transaction.hasRoom()) return staged
    const actor = await getRow(actors, transaction.accountId, id)
    const isMade = actor?.created_by_directory_id === sourceId
    const [identity] = isMade
      ? await rowsBy(externalIdentities, transaction.accountId, 'actor_id', id, { limit: 1 })
      : []
    if (actor && isMade && !identity) {
      const isAdmin = actor.type === 'account_admin_user' && !actor.is_disabled
      if (actor.updated_at > startedAt) stagedSkip(staged, id, name, 'changed_since')
      else if (isAdmin && admins <= 1) stagedSkip(staged, id, name, 'last_admin')
      else {
        if ((await stageActorDeletion(transaction, actor)) === 'more') return staged
        if (isAdmin) admins--
      }
    }
    staged.handled++
  }
  return staged
}
