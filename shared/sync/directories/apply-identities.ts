import type { Transaction } from '../../commit/transaction.ts'
import { type ActorRow, actors, countFullAdmins, hasPortalAccess, isFullAdmin } from '../../domain/actors/actor.ts'
import { externalIdentities } from '../../domain/external-identities/external-identity.ts'
import {
  stageIdentityDeletions,
  stageIssuedTokenDeletions,
  tokensOfIssuers,
} from '../../domain/external-identities/issued-tokens.ts'
import { stageActorDeletion } from '../../domain/rules/delete-actor.ts'
import { getRows, rowsBy } from '../../table/read.ts'
import { readEntryRows, type StageContext, type StagedChange, stageEach } from '../runs/plan.ts'
import type { DirectoryEntries, Entries, IdentityEntry } from './directory-plan.ts'
import type { DirectoryRules } from './planning.ts'

export type DirectoryStageContext = StageContext & DirectoryRules

/**
 * Returns true for the last enabled administrator (I4.7(1)). Does not count other administrators whom this directory created and who have
 * no identity left once `deletedIds` are deleted.
 */
async function isLastAdmin(
  { transaction, sourceId }: DirectoryStageContext,
  actor: ActorRow | null,
  deletedIds: Set<string>,
): Promise<boolean> {
  if (!actor || !isFullAdmin(actor) || actor.is_disabled) return false
  const { accountId } = transaction
  for (const other of await rowsBy(actors, accountId, 'type', 'account_admin_user')) {
    if (other.id === actor.id || other.is_disabled || !isFullAdmin(other)) continue
    if (other.created_by_directory_id !== sourceId) return false
    const identities = await rowsBy(externalIdentities, accountId, 'actor_id', other.id)
    if (identities.some(({ id }) => !deletedIds.has(id))) return false
  }
  return true
}

type LostEntry = IdentityEntry & Partial<DirectoryEntries['absent']>

async function findAll(transaction: Transaction, entries: LostEntry[]) {
  const { accountId } = transaction
  const rows = await readEntryRows(externalIdentities, accountId, entries)
  const owners = rows.map((row) => row?.actor_id ?? 'none')
  const [people, identities, tokens] = await Promise.all([
    getRows(actors, accountId, owners),
    Promise.all(
      rows.map((row, i) =>
        row && entries[i]?.isLast ? rowsBy(externalIdentities, accountId, 'actor_id', row.actor_id) : [],
      ),
    ),
    Promise.all(rows.map((row) => (row ? tokensOfIssuers(transaction, row.actor_id, new Set([row.issuer])) : []))),
  ])
  return rows.map((row, i) => ({
    row,
    actor: people[i] ?? null,
    tokens: tokens[i] ?? [],
    identities: identities[i] ?? [],
  }))
}

/**
 * Deletes the tokens of lost identities, then the identities (I4.5). Deletes an actor in the same commit as its last identity, so that no
 * sign-in can link the actor in between.
 */
export async function applyLostIdentities(
  stage: DirectoryStageContext,
  entries: LostEntry[],
  isInactive: boolean,
): Promise<StagedChange> {
  const { transaction, sourceId, issuer, startedAt, matchesAdministrators } = stage
  const deletedIds = new Set<string>()
  const found = await findAll(transaction, entries)
  return stageEach(transaction, 'users', entries, undefined, async ({ id, idp_id, name, isLast }, i, staged) => {
    const { row = null, actor = null, tokens = [], identities = [] } = found[i] ?? {}
    const isAdmin = actor !== null && hasPortalAccess(actor)
    const mayTake = isInactive && (matchesAdministrators || !isAdmin)
    const isOurs = row?.directory_id === sourceId || (mayTake && row?.directory_id === null && row.issuer === issuer)
    if (!row || !isOurs || row.idp_id !== idp_id) return
    if (row.updated_at > startedAt) return { idp_id, name, reason: 'changed_since' }
    if (await isLastAdmin(stage, actor, deletedIds)) return { idp_id, name, reason: 'last_admin' }
    deletedIds.add(id)
    const isCreatedHere = actor?.created_by_directory_id === sourceId && actor.updated_at <= startedAt
    const outcome =
      isLast && isCreatedHere && identities.every((one) => deletedIds.has(one.id))
        ? await stageActorDeletion(transaction, actor, row)
        : await stageIdentityDeletions(transaction, [row], tokens)
    if (outcome === 'more') return 'more'
    if (isAdmin) staged.deletedAdministrator = true
    return 'delete'
  })
}

/**
 * Deletes the tokens of administrators whose email now belongs to a different subject at the provider (I4.3(2)). Keeps their identities.
 */
export function applyWithheld({ transaction, startedAt }: DirectoryStageContext, entries: Entries<'withheld'>) {
  return stageEach(transaction, 'tokens', entries, undefined, async ({ id, idp_id, name }) => {
    const row = await transaction.get(externalIdentities, id)
    if (row && row.updated_at > startedAt) return { idp_id, name, reason: 'changed_since' }
    if (row?.idp_id !== idp_id) return
    const tokens = await tokensOfIssuers(transaction, row.actor_id, new Set([row.issuer]))
    return stageIssuedTokenDeletions(transaction, tokens) === 'more' ? 'more' : 'delete'
  })
}

export async function applyLostActors(
  { transaction, sourceId, startedAt }: DirectoryStageContext,
  entries: Entries<'actors'>,
) {
  let admins = countFullAdmins((counter) => transaction.count(counter))
  const { accountId } = transaction
  const [people, identities] = await Promise.all([
    readEntryRows(actors, accountId, entries),
    Promise.all(entries.map(({ id }) => rowsBy(externalIdentities, accountId, 'actor_id', id, { limit: 1 }))),
  ])
  return stageEach(transaction, 'actors', entries, undefined, async ({ id, name }, i, staged) => {
    const actor = people[i]
    if (actor?.created_by_directory_id !== sourceId || identities[i]?.length !== 0) return
    const isAdmin = isFullAdmin(actor) && !actor.is_disabled
    if (actor.updated_at > startedAt) return { idp_id: id, name, reason: 'changed_since' }
    if (isAdmin && admins <= 1) return { idp_id: id, name, reason: 'last_admin' }
    if ((await stageActorDeletion(transaction, actor)) === 'more') return 'more'
    if (isAdmin) admins--
    if (hasPortalAccess(actor)) staged.deletedAdministrator = true
    return 'delete'
  })
}
