import type { Transaction } from '../../../commit/transaction.ts'
import { type ActorRow, actors } from '../../../domain/actors/actor.ts'
import { stageActorDeletion } from '../../../domain/actors/delete-actor.ts'
import { stageIdentityDeletions } from '../../../domain/external-identities/delete-external-identity.ts'
import { type ExternalIdentityRow, externalIdentities } from '../../../domain/external-identities/external-identity.ts'
import {
  type IssuedToken,
  stageIssuedTokenDeletions,
  tokensOfIssuers,
} from '../../../domain/external-identities/issued-tokens.ts'
import { getRows, rowsBy } from '../../../table/read.ts'
import { nothingStaged, type Staged, stagedSkip } from '../../plans/staged.ts'
import type { AbsentEntry, ActorEntry, IdentityEntry, WithheldEntry } from '../plan/directory-plan.ts'

/** What a run of a directory knows of itself when it stages changes. */
export type DirectoryStage = {
  transaction: Transaction
  sourceId: string
  issuer: string
  /** Kind and issuer. */
  provider: string
  startedAt: string
  /** Lets the run link, move and take identities of administrators (A26.2(5)). */
  matchesAdministrators: boolean
}

/**
 * The last enabled administrator stays, with its identity (I4.7(1)). Whom this directory made goes with the last identity,
 * and so is no administrator to count on without one; `gone` are those that go in this commit.
 */
async function isLastAdmin(
  { transaction, sourceId }: DirectoryStage,
  actor: ActorRow | null,
  gone: Set<string>,
): Promise<boolean> {
  if (actor?.type !== 'account_admin_user' || actor.is_disabled) return false
  const { accountId } = transaction
  for (const other of await rowsBy(actors, accountId, 'type', 'account_admin_user')) {
    if (other.id === actor.id || other.is_disabled) continue
    if (other.created_by_directory_id !== sourceId) return false
    const identities = await rowsBy(externalIdentities, accountId, 'actor_id', other.id)
    if (identities.some(({ id }) => !gone.has(id))) return false
  }
  return true
}

type LostEntry = IdentityEntry & Partial<AbsentEntry>

type Found = {
  row: ExternalIdentityRow | null
  actor: ActorRow | null
  tokens: IssuedToken[]
  /** All identities of the actor, where the plan knows this one as the last. */
  identities: ExternalIdentityRow[]
}

/** Identities that are to go, whose they are, and the tokens that were given for them: read at once, for all of a commit. */
async function findAll(transaction: Transaction, entries: LostEntry[]): Promise<Found[]> {
  const { accountId } = transaction
  const ids = entries.map(({ id }) => id)
  const rows = await getRows(externalIdentities, accountId, ids)
  const owners = rows.flatMap((row) => row?.actor_id ?? [])
  const [people, identities, tokens] = await Promise.all([
    getRows(actors, accountId, owners),
    Promise.all(
      rows.map((row, i) =>
        row && entries[i]?.isLast ? rowsBy(externalIdentities, accountId, 'actor_id', row.actor_id) : [],
      ),
    ),
    Promise.all(rows.map((row) => (row ? tokensOfIssuers(transaction, row.actor_id, new Set([row.issuer])) : []))),
  ])
  const actorOf = new Map(owners.map((id, i) => [id, people[i] ?? null]))
  return rows.map((row, i) => ({
    row,
    actor: (row && actorOf.get(row.actor_id)) ?? null,
    tokens: tokens[i] ?? [],
    identities: identities[i] ?? [],
  }))
}

/**
 * Takes identities away, first the client tokens that were made for them (I4.5). An actor that the directory made goes in
 * the commit of its last identity. A sign-in between two commits would link it by its email, and no run would delete it.
 */
export async function applyLostIdentities(
  stage: DirectoryStage,
  entries: LostEntry[],
  isNamed: boolean,
): Promise<Staged> {
  const { transaction, sourceId, issuer, startedAt, matchesAdministrators } = stage
  const staged = nothingStaged()
  const gone = new Set<string>()
  const found = await findAll(transaction, entries)
  for (const [i, { id, idp_id, name, isLast }] of entries.entries()) {
    if (!transaction.hasRoom()) return staged
    const { row, actor, tokens, identities } = found[i] as Found
    const isAdmin = actor?.type === 'account_admin_user'
    const mayTake = isNamed && (matchesAdministrators || !isAdmin)
    const isOurs = row?.directory_id === sourceId || (mayTake && row?.directory_id === null && row.issuer === issuer)
    if (row && isOurs && row.idp_id === idp_id) {
      if (row.updated_at > startedAt) stagedSkip(staged, idp_id, name, 'changed_since')
      else if (await isLastAdmin(stage, actor, gone)) stagedSkip(staged, idp_id, name, 'last_admin')
      else {
        gone.add(id)
        const isMade = actor?.created_by_directory_id === sourceId && actor.updated_at <= startedAt
        const outcome =
          isLast && isMade && identities.every((one) => gone.has(one.id))
            ? await stageActorDeletion(transaction, actor, row)
            : await stageIdentityDeletions(transaction, [row], tokens)
        if (outcome === 'more') return staged
        if (isAdmin) staged.tookAdministrator = true
        staged.changes.push({ object: 'users', change: 'delete' })
      }
    }
    staged.handled++
  }
  return staged
}

/** Ends what administrators were given by an identity whose subject the provider does not know any more. */
export async function applyWithheld(
  { transaction, startedAt }: DirectoryStage,
  entries: WithheldEntry[],
): Promise<Staged> {
  const staged = nothingStaged()
  for (const { id, idp_id, name } of entries) {
    const row = await transaction.get(externalIdentities, id)
    if (row && row.updated_at > startedAt) stagedSkip(staged, idp_id, name, 'changed_since')
    else if (row?.idp_id === idp_id) {
      const tokens = await tokensOfIssuers(transaction, row.actor_id, new Set([row.issuer]))
      if (stageIssuedTokenDeletions(transaction, tokens) === 'more') return staged
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
  const { accountId } = transaction
  const ids = entries.map(({ id }) => id)
  const [people, identities] = await Promise.all([
    getRows(actors, accountId, ids),
    Promise.all(ids.map((id) => rowsBy(externalIdentities, accountId, 'actor_id', id, { limit: 1 }))),
  ])
  for (const [i, { id, name }] of entries.entries()) {
    if (!transaction.hasRoom()) return staged
    const actor = people[i]
    if (actor?.created_by_directory_id === sourceId && identities[i]?.length === 0) {
      const isAdmin = actor.type === 'account_admin_user' && !actor.is_disabled
      if (actor.updated_at > startedAt) stagedSkip(staged, id, name, 'changed_since')
      else if (isAdmin && admins <= 1) stagedSkip(staged, id, name, 'last_admin')
      else {
        if ((await stageActorDeletion(transaction, actor)) === 'more') return staged
        if (isAdmin) admins--
        if (actor.type === 'account_admin_user') staged.tookAdministrator = true
      }
    }
    staged.handled++
  }
  return staged
}
