import type { Author } from '../../commit/commit.ts'
import { finishInParts } from '../../commit/commit-in-parts.ts'
import type { FollowUp } from '../../commit/commit-record.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { actors } from '../../domain/actors/actor.ts'
import { clients } from '../../domain/clients/client.ts'
import { directories, directoryKinds } from '../../domain/directories/directory.ts'
import { groups } from '../../domain/groups/group.ts'
import { pendingStager } from '../../domain/member-sets/set-change.ts'
import { groupMembers } from '../../domain/memberships/store.ts'
import { pool } from '../../domain/pool-members/pool-member.ts'
import { postureProviders } from '../../domain/posture-providers/posture-provider.ts'
import { stageRestOfPostureProvider } from '../../domain/posture-providers/store.ts'
import { resources } from '../../domain/resources/resource.ts'
import { stageRestOfActor } from '../../domain/rules/delete-actor.ts'
import { stageRestOfClient } from '../../domain/rules/delete-client.ts'
import { stageRestOfDirectory } from '../../domain/rules/delete-directory.ts'
import { stageRestOfGroup } from '../../domain/rules/delete-group.ts'
import { stageRestOfResource } from '../../domain/rules/delete-resource.ts'
import { stageRestOfSite } from '../../domain/rules/delete-site.ts'
import { stageRestOfAccountDisabling } from '../../domain/rules/disable-account.ts'
import { sites } from '../../domain/sites/site.ts'
import type { Entity, Row } from '../../table/entity.ts'
import { stageRestOfUser } from '../../v0/delete-user.ts'
import { v0Users } from '../../v0/user.ts'

type Stage = (transaction: Transaction) => Promise<'done' | 'more'>

/** Skips the work if the deleted object exists again: a rewind may have restored it (I4.1(6), docs/decisions/0012). */
const ifDeleted =
  <R extends Row>(entity: Entity<R>, rest: (transaction: Transaction, id: string) => ReturnType<Stage>) =>
  (id: string): Stage =>
  async (transaction) =>
    (await transaction.get(entity, id)) ? 'done' : rest(transaction, id)

/** Finishes disabling an account. Skips an account that was enabled again, because enabling finishes this work first. */
const restOfDisabling =
  (bound: string): Stage =>
  async (transaction) => {
    const account = await transaction.get(accounts, transaction.accountId)
    return account && !account.is_disabled ? 'done' : stageRestOfAccountDisabling(transaction, bound)
  }

/** Follow-up work by collection: deletes rows below a deleted object, and adds or removes set members. */
const followUps: Record<string, (id: string, change?: string) => Stage> = {
  accounts: restOfDisabling,
  actors: ifDeleted(actors, stageRestOfActor),
  clients: ifDeleted(clients, stageRestOfClient),
  groups: ifDeleted(groups, stageRestOfGroup),
  mdm_posture_providers: ifDeleted(postureProviders, stageRestOfPostureProvider),
  resources: ifDeleted(resources, stageRestOfResource),
  sites: ifDeleted(sites, stageRestOfSite),
  v0_users: ifDeleted(v0Users, stageRestOfUser),
  ...Object.fromEntries(
    directoryKinds.map((kind) => [directories[kind].name, ifDeleted(directories[kind], stageRestOfDirectory)]),
  ),
  [groupMembers.entity.name]: (groupId, change) => pendingStager(groupMembers, groupId, change),
  [pool.entity.name]: (poolId, change) => pendingStager(pool, poolId, change),
}

/** Completes a commit's follow-up work within the time budget, or defers the rest again. Idempotent. */
export async function finishFollowUp(author: Author, followUp: FollowUp, budgetMs: number): Promise<void> {
  const { below, id, change } = followUp
  const rest = followUps[below]
  if (!rest) throw new Error(`No follow-up work exists for ${below}.`)
  await finishInParts(author, followUp, rest(id, change), budgetMs)
}
