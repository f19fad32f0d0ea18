import type { Cascade } from '../../commit/cascade.ts'
import type { Author } from '../../commit/commit.ts'
import { finishInParts } from '../../commit/finish-in-parts.ts'
import type { Transaction } from '../../commit/transaction.ts'
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
import { stageRestOfPostureProvider } from '../../domain/posture-providers/store.ts'
import { stageRestOfResource } from '../../domain/resources/delete-resource.ts'
import { stageRestOfSite } from '../../domain/sites/delete-site.ts'
import type { Entity, Row } from '../../table/entity.ts'
import { stageRestOfUser } from '../../v0/users/delete-user.ts'

type Stage = (transaction: Transaction) => Promise<'done' | 'more'>

type Rest = (transaction: Transaction, id: string) => Promise<'done' | 'more'>

/** A rewind can have brought it back meanwhile (I4.1(6)): then nothing below it goes, however often the record is delivered. */
const unlessBack =
  <R extends Row>(entity: Entity<R>, rest: Rest): Rest =>
  async (transaction, id) =>
    (await transaction.get(entity, id)) ? 'done' : rest(transaction, id)

/** What lies below a deleted object, by its collection. */
const rests: Record<string, Rest> = {
  accounts: stageRestOfAccountDisabling,
  actors: unlessBack(actors, stageRestOfActor),
  clients: unlessBack(clients, stageRestOfClient),
  groups: unlessBack(groups, stageRestOfGroup),
  mdm_posture_providers: stageRestOfPostureProvider,
  resources: stageRestOfResource,
  sites: stageRestOfSite,
  v0_users: stageRestOfUser,
  ...Object.fromEntries(directoryKinds.map((kind) => [directories[kind].name, stageRestOfDirectory])),
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
