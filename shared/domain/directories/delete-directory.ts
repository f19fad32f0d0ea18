import type { Author } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError } from '../../core/errors.ts'
import type { Entity, Row } from '../../table/entity.ts'
import { rowsBy } from '../../table/read.ts'
import { serviceGuard } from '../accounts/service-guard.ts'
import { type ActorRow, actors } from '../actors/actor.ts'
import { stageActorDeletion } from '../actors/delete-actor.ts'
import { stageIdentityDeletions } from '../external-identities/delete-external-identity.ts'
import { externalIdentities } from '../external-identities/external-identity.ts'
import { stageGroupDeletion } from '../groups/delete-group.ts'
import { groups } from '../groups/group.ts'
import { lastGoodRunKey } from '../sync/last-good-run.ts'
import { stageTurn } from '../sync/sync-turn.ts'
import { type DirectoryRow, directories } from './directory.ts'
import type { accessTaker } from './take-access.ts'

/**
 * Neither the acting actor nor the last enabled administrator goes with a directory (A12.4(2)). Returns the enabled
 * administrators that do go.
 */
async function leavingAdmins(author: Author, transaction: Transaction, directoryId: string): Promise<ActorRow[]> {
  const created = await rowsBy(actors, transaction.accountId, 'created_by_directory_id', directoryId)
  if (created.some(({ id }) => id === author.subject?.actor_id)) {
    throw new ApiError('own_actor', 'The acting actor was created by this directory.')
  }
  const admins = created.filter(({ type, is_disabled }) => type === 'account_admin_user' && !is_disabled)
  if (admins.length > 0 && transaction.count('actors.enabled.account_admin_user') <= admins.length) {
    throw new ApiError('last_admin', 'The last enabled administrators of the account were created by this directory.')
  }
  return admins
}

/** Stages one row below the directory after the other; `more` when some are left. */
async function stageEach<R extends Row>(
  transaction: Transaction,
  entity: Entity<R>,
  field: string,
  directoryId: string,
  stage: (row: R) => Promise<'done' | 'more'>,
): Promise<'done' | 'more'> {
  const rows = await rowsBy(entity, transaction.accountId, field, directoryId, { limit: 20 })
  for (const row of rows) {
    if (!transaction.hasRoom() || (await stage(row)) === 'more') return 'more'
  }
  return rows.length === 20 ? 'more' : 'done'
}

/**
 * Stages the deletion of a directory (A26.2(4)): first all access that comes from it ends (`more` when that did not
 * fit), then itself; the actors it created, its groups and its identities go along or are left for later. Administrators
 * do not wait: until they are gone they would count as those that an account keeps.
 */
export async function stageDirectoryDeletion(
  author: Author,
  transaction: Transaction,
  entity: Entity<DirectoryRow>,
  directory: DirectoryRow,
  takeAccess: ReturnType<typeof accessTaker>,
): Promise<'done' | 'more'> {
  for (const admin of await leavingAdmins(author, transaction, directory.id)) {
    if (!transaction.hasRoom() || (await stageActorDeletion(transaction, admin)) === 'more') return 'more'
  }
  if ((await takeAccess(transaction)) === 'more' || !transaction.hasRoom()) return 'more'
  transaction.delete(entity, directory)
  stageTurn(transaction, entity.name, directory.id)
  transaction.remove(lastGoodRunKey(transaction.accountId, directory.id))
  if (entity === directories.idp) transaction.remove(serviceGuard('idp_directory', directory.id))
  if ((await stageRestOfDirectory(transaction, directory.id)) === 'more') {
    transaction.defer({ below: entity.name, id: directory.id })
  }
  return 'done'
}

export async function stageRestOfDirectory(transaction: Transaction, id: string): Promise<'done' | 'more'> {
  const outcomes = [
    await stageEach(transaction, actors, 'created_by_directory_id', id, (actor) =>
      stageActorDeletion(transaction, actor),
    ),
    await stageEach(transaction, groups, 'directory_id', id, (group) => stageGroupDeletion(transaction, group)),
    await stageEach(transaction, externalIdentities, 'directory_id', id, (identity) =>
      stageIdentityDeletions(transaction, [identity]),
    ),
  ]
  return outcomes.includes('more') ? 'more' : 'done'
}
