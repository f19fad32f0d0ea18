import type { Cascade } from '../../commit/cascade.ts'
import type { Author } from '../../commit/commit.ts'
import { finishInParts } from '../../commit/finish-in-parts.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { stageRestOfAccountDisabling } from '../../domain/accounts/disable-account.ts'
import { actors } from '../../domain/actors/actor.ts'
import { stageRestOfActor } from '../../domain/actors/delete-actor.ts'
import { clients } from '../../domain/clients/client.ts'
import { stageRestOfClient } from '../../domain/clients/delete-client.ts'
import { stageRestOfDirectory } from '../../domain/directories/delete-directory.ts'
import { directories, directoryKinds } from '../../domain/directories/directory.ts'
import { stageRestOfGroup } from '../../domain/groups/delete-group.ts'
import { groups } from '../../domain/groups/group.ts'
import { pendingStager } from '../../domain/member-sets/set-change.ts'
import { groupMembers } from '../../domain/memberships/group-members.ts'
import { pool } from '../../domain/pool-members/pool.ts'
import { postureProviders } from '../../domain/posture-providers/posture-provider.ts'
import { stageRestOfPostureProvider } from '../../domain/posture-providers/store.ts'
import { stageRestOfResource } from '../../domain/resources/delete-resource.ts'
import { resources } from '../../domain/resources/resource.ts'
import { stageRestOfSite } from '../../domain/sites/delete-site.ts'
import { sites } from '../../domain/sites/site.ts'
import type { Entity, Row } from '../../table/entity.ts'
import { stageRestOfUser } from '../../v0/users/delete-user.ts'
import { v0Users } from '../../v0/users/user.ts'

type Stage = (transaction: Transaction) => Promise<'done' | 'more'>

type Rest = (transaction: Transaction, id: string) => Promise<'done' | 'more'>

/**
 * Nothing below goes while the object is there: a rewind can have brought it back meanwhile (I4.1(6)), however often the record
 * is delivered, and a record that nobody committed has nothing deleted (docs/decisions/0012).
 */
const ofGone =
  <R extends Row>(entity: Entity<R>, rest: Rest): Rest =>
  async (transaction, id) =>
    (await transaction.get(entity, id)) ? 'done' : rest(transaction, id)

/** The same of an account, which is disabled and not gone; who enables it has finished this before. */
const restOfDisabling: Rest = async (transaction, bound) => {
  const account = await transaction.get(accounts, transaction.accountId)
  return account && !account.is_disabled ? 'done' : stageRestOfAccountDisabling(transaction, bound)
}

/** What lies below a deleted object, by its collection. */
const rests: Record<string, Rest> = {
  accounts: restOfDisabling,
  actors: ofGone(actors, stageRestOfActor),
  clients: ofGone(clients, stageRestOfClient),
  groups: ofGone(groups, stageRestOfGroup),
  mdm_posture_providers: ofGone(postureProviders, stageRestOfPostureProvider),
  resources: ofGone(resources, stageRestOfResource),
  sites: ofGone(sites, stageRestOfSite),
  v0_users: ofGone(v0Users, stageRestOfUser),
  ...Object.fromEntries(
    directoryKinds.map((kind) => [directories[kind].name, ofGone(directories[kind], stageRestOfDirectory)]),
  ),
}

/** Members that are to leave or join a set, by the collection of memberships. */
const pendings: Record<string, (ownerId: string, change?: string) => Stage> = {
  [groupMembers.entity.name]: (ownerId, change) => pendingStager(groupMembers, ownerId, change),
  [pool.entity.name]: (ownerId, change) => pendingStager(pool, ownerId, change),
}

function stageOf({ below, id, change }: Cascade): Stage {
  const rest = rests[below]
  const stage = rest ? (transaction: Transaction) => rest(transaction, id) : pendings[below]?.(id, change)
  if (!stage) throw new Error(`Nothing is known to be left below ${below}.`)
  return stage
}

/** Does what a commit has left for later, for a while; what is left then is left again. Harmless to repeat. */
export const finishCascade = (author: Author, cascade: Cascade, budgetMs: number): Promise<void> =>
  finishInParts(author, cascade, stageOf(cascade), budgetMs)
