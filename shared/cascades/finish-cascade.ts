import { stageRestOfAccountDisabling } from '../accounts/disable-account.ts'
import { stageRestOfActor } from '../actors/delete-actor.ts'
import { stageRestOfClient } from '../clients/delete-client.ts'
import { stageRestOfDirectory } from '../directories/delete-directory.ts'
import { directories, directoryKinds } from '../directories/directory.ts'
import { stageRestOfGroup } from '../groups/delete-group.ts'
import { stageNextPart } from '../member-sets/set-change.ts'
import { groupMembers } from '../memberships/group-members.ts'
import { pool } from '../pool-members/pool.ts'
import { stageRestOfPostureProvider } from '../posture-providers/store.ts'
import { stageRestOfResource } from '../resources/delete-resource.ts'
import { stageRestOfSite } from '../sites/delete-site.ts'
import type { Cascade } from '../table/cascade.ts'
import type { Author } from '../table/commit.ts'
import { finishInParts } from '../table/finish-in-parts.ts'
import type { Transaction } from '../table/transaction.ts'
import { stageRestOfUser } from '../v0-users/delete-user.ts'

/** What is left below a deleted object, or pending for a set of members, by the collection. */
const rests: Record<string, (transaction: Transaction, id: string) => Promise<'done' | 'more'>> = {
  accounts: stageRestOfAccountDisabling,
  actors: stageRestOfActor,
  clients: stageRestOfClient,
  groups: stageRestOfGroup,
  memberships: (transaction, id) => stageNextPart(transaction, groupMembers, id),
  mdm_posture_providers: stageRestOfPostureProvider,
  resources: stageRestOfResource,
  static_device_pool_members: (transaction, id) => stageNextPart(transaction, pool, id),
  sites: stageRestOfSite,
  v0_users: stageRestOfUser,
  ...Object.fromEntries(directoryKinds.map((kind) => [directories[kind].name, stageRestOfDirectory])),
}

/** Does what a commit has left for later, for a while; what is left then is left again. Harmless to repeat. */
export async function finishCascade(author: Author, cascade: Cascade, budgetMs: number): Promise<void> {
  const stage = rests[cascade.below]
  if (!stage) throw new Error(`Nothing is known to be left below ${cascade.below}.`)
  await finishInParts(author, cascade, (transaction) => stage(transaction, cascade.id), budgetMs)
}
