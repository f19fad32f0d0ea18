import type { Cascade } from '../../commit/cascade.ts'
import type { Author } from '../../commit/commit.ts'
import { finishInParts } from '../../commit/finish-in-parts.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { stageRestOfAccountDisabling } from '../../domain/accounts/disable-account.ts'
import { stageRestOfActor } from '../../domain/actors/delete-actor.ts'
import { stageRestOfClient } from '../../domain/clients/delete-client.ts'
import { stageRestOfDirectory } from '../../domain/directories/delete-directory.ts'
import { directories, directoryKinds } from '../../domain/directories/directory.ts'
import { stageRestOfGroup } from '../../domain/groups/delete-group.ts'
import { stageNextPart } from '../../domain/member-sets/set-change.ts'
import { groupMembers } from '../../domain/memberships/group-members.ts'
import { pool } from '../../domain/pool-members/pool.ts'
import { stageRestOfPostureProvider } from '../../domain/posture-providers/store.ts'
import { stageRestOfResource } from '../../domain/resources/delete-resource.ts'
import { stageRestOfSite } from '../../domain/sites/delete-site.ts'
import { stageRestOfUser } from '../../v0/users/delete-user.ts'

/** The rest of the work after a commit, by collection: rows below a deleted object, or pending members of a set. */
const rests: Record<string, (transaction: Transaction, id: string, change?: string) => Promise<'done' | 'more'>> = {
  accounts: stageRestOfAccountDisabling,
  actors: stageRestOfActor,
  clients: stageRestOfClient,
  groups: stageRestOfGroup,
  memberships: (transaction, id, change) => stageNextPart(transaction, groupMembers, id, change),
  mdm_posture_providers: stageRestOfPostureProvider,
  resources: stageRestOfResource,
  static_device_pool_members: (transaction, id, change) => stageNextPart(transaction, pool, id, change),
  sites: stageRestOfSite,
  v0_users: stageRestOfUser,
  ...Object.fromEntries(directoryKinds.map((kind) => [directories[kind].name, stageRestOfDirectory])),
}

/** Does what a commit has left for later, for a while; what is left then is left again. Harmless to repeat. */
export async function finishCascade(author: Author, cascade: Cascade, budgetMs: number): Promise<void> {
  const stage = rests[cascade.below]
  if (!stage) throw new Error(`Nothing is known to be left below ${cascade.below}.`)
  await finishInParts(author, cascade, (transaction) => stage(transaction, cascade.id, cascade.change), budgetMs)
}
