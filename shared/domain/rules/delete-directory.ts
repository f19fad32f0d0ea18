import type { Author } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { combineStages, stageRows } from '../../commit/stage-within-capacity.ts'
import { type Sweep, sweep, sweepAll } from '../../commit/sweep.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError } from '../../core/errors.ts'
import { rowsBy } from '../../table/read.ts'
import { serviceUniqueKey } from '../accounts/account.ts'
import { type ActorRow, actors, countFullAdmins, isFullAdmin } from '../actors/actor.ts'
import { type DirectoryKind, directories } from '../directories/directory.ts'
import { externalIdentities } from '../external-identities/external-identity.ts'
import {
  deleteIssuedToken,
  stageIdentityDeletions,
  tokensOfActor,
  tokensOfIssuers,
} from '../external-identities/issued-tokens.ts'
import { groups } from '../groups/group.ts'
import { policies } from '../policies/policy.ts'
import { lastGoodRunKey, stageScheduledSync, withLastRun } from '../sync/sync-state.ts'
import { stageActorDeletion } from './delete-actor.ts'
import { orphanPolicy, stageGroupDeletion } from './delete-group.ts'

/**
 * Reads the enabled administrators that a directory created.
 * @throws ApiError `own_actor`, `last_admin` (A12.4(2))
 */
async function leavingAdmins(author: Author, transaction: Transaction, directoryId: string): Promise<ActorRow[]> {
  const createdActors = await rowsBy(actors, transaction.accountId, 'created_by_directory_id', directoryId)
  if (createdActors.some(({ id }) => id === author.subject?.actor_id)) {
    throw new ApiError('own_actor', 'This directory created the actor that makes this request.')
  }
  const admins = createdActors.filter((actor) => isFullAdmin(actor) && !actor.is_disabled)
  if (admins.length > 0 && countFullAdmins((counter) => transaction.count(counter)) <= admins.length) {
    throw new ApiError('last_admin', 'This directory created the last enabled administrators of the account.')
  }
  return admins
}

export const stageRestOfDirectory = async (transaction: Transaction, id: string): Promise<'done' | 'more'> =>
  combineStages(
    await stageRows(transaction, actors, 'created_by_directory_id', id, (actor) =>
      stageActorDeletion(transaction, actor),
    ),
    await stageRows(transaction, groups, 'directory_id', id, (group) => stageGroupDeletion(transaction, group)),
    await stageRows(transaction, externalIdentities, 'directory_id', id, (identity) =>
      stageIdentityDeletions(transaction, [identity]),
    ),
  )

/** Creates a sweep that ends all access granted through a directory. The deletion continues the sweep in each part until it is complete. */
function accessSweep(directoryId: string): Sweep {
  return sweepAll([
    sweep(
      actors,
      'created_by_directory_id',
      directoryId,
      (transaction, actor) => tokensOfActor(transaction, actor.id),
      deleteIssuedToken,
    ),
    sweep(
      groups,
      'directory_id',
      directoryId,
      async ({ accountId }, group) =>
        (await rowsBy(policies, accountId, 'group_id', group.id)).map((policy) => ({ policy, group })),
      (transaction, { policy, group }) => orphanPolicy(transaction, policy, group),
    ),
    sweep(
      externalIdentities,
      'directory_id',
      directoryId,
      (transaction, { actor_id, issuer }) => tokensOfIssuers(transaction, actor_id, new Set([issuer])),
      deleteIssuedToken,
    ),
  ])
}

/**
 * Deletes a directory after ending all access granted through it (A26.2(4)). Administrators are deleted first, so that the account no
 * longer counts them. The directory's other actors, groups and identities are deleted in the same commit or as follow-up work.
 */
export function removeDirectory(kind: DirectoryKind, author: Author, id: string) {
  const endAccess = accessSweep(id)
  const { name } = directories[kind]
  return commitInParts(author, async (transaction) => {
    const directory = await transaction.existing(directories[kind], id)
    for (const admin of await leavingAdmins(author, transaction, id)) {
      if (!transaction.hasCapacity() || (await stageActorDeletion(transaction, admin)) === 'more') return 'more'
    }
    if ((await endAccess(transaction)) === 'more' || !transaction.hasCapacity()) return 'more'
    transaction.delete(directories[kind], directory)
    stageScheduledSync(transaction, name, id)
    transaction.remove(lastGoodRunKey(transaction.accountId, id))
    if (kind === 'idp') transaction.remove(serviceUniqueKey('idp_directory', id))
    if ((await stageRestOfDirectory(transaction, id)) === 'more') transaction.defer({ below: name, id })
    return { done: { data: await withLastRun(directory) } }
  })
}
