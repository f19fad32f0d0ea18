import type { Author } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { combineStages, readAhead, stageWithinCapacity } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import type { Entity, Row } from '../../table/entity.ts'
import { presenceItemKey } from '../../table/keys.ts'
import { rowsBy, rowsOfMember } from '../../table/read.ts'
import { type ActorRow, actors, isPerson } from '../actors/actor.ts'
import { protect, renderActor } from '../actors/store.ts'
import { apiTokens, deleteApiToken } from '../api-tokens/api-token.ts'
import { clients } from '../clients/client.ts'
import { type ExternalIdentityRow, externalIdentities } from '../external-identities/external-identity.ts'
import { stageTokenDeletions } from '../external-identities/issued-tokens.ts'
import { memberships } from '../memberships/membership.ts'
import { passcodeKey } from '../passcodes/passcode.ts'
import { deleteClient } from './delete-client.ts'

/**
 * Stages the deletion of an actor and, if given, its `identity`. First deletes the actor's tokens (A29). Returns `more` if they exceed the
 * commit's capacity.
 */
export async function stageActorDeletion(
  transaction: Transaction,
  actor: ActorRow,
  identity?: ExternalIdentityRow,
): Promise<'done' | 'more'> {
  if ((await stageTokenDeletions(transaction, actor.id)) === 'more' || !transaction.hasCapacity()) return 'more'
  if (identity) transaction.delete(externalIdentities, identity)
  transaction.delete(actors, actor)
  transaction.remove(presenceItemKey(transaction.accountId, actors.name, actor.id))
  if (isPerson(actor.type)) transaction.remove(passcodeKey(transaction.accountId, actor.id))
  if ((await stageRestOfActor(transaction, actor.id)) === 'more')
    transaction.defer({ below: actors.name, id: actor.id })
  return 'done'
}

export async function stageRestOfActor(transaction: Transaction, id: string): Promise<'done' | 'more'> {
  const { accountId } = transaction
  const rowsOfActor = <R extends Row>(entity: Entity<R>) =>
    readAhead((range) => rowsBy(entity, accountId, 'actor_id', id, range))
  const [tokens, identities, groups, devices] = [
    rowsOfActor(apiTokens),
    rowsOfActor(externalIdentities),
    readAhead((range) => rowsOfMember(memberships, accountId, id, range)),
    rowsOfActor(clients),
  ]
  return combineStages(
    await stageWithinCapacity(transaction, tokens, (token) => deleteApiToken(transaction, token)),
    await stageWithinCapacity(transaction, identities, (identity) => transaction.delete(externalIdentities, identity)),
    await stageWithinCapacity(transaction, groups, (membership) => {
      transaction.delete(memberships, membership)
      transaction.revoke({ by: 'membership', id: membership.group_id, actors: [id] })
    }),
    await stageWithinCapacity(transaction, devices, (client) => deleteClient(transaction, client)),
  )
}

export const removeActor = (author: Author, id: string) =>
  commitInParts(author, async (transaction) => {
    const actor = await transaction.existing(actors, id)
    protect(author, transaction, actor, 'delete')
    if ((await stageActorDeletion(transaction, actor)) === 'more') return 'more'
    return { done: await renderActor(author.accountId, actor) }
  })
