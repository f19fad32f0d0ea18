import { apiTokens } from '../api-tokens/api-token.ts'
import { clientTokens } from '../client-tokens/client-token.ts'
import { clients } from '../clients/client.ts'
import { deleteClient } from '../clients/delete-client.ts'
import { memberships } from '../memberships/membership.ts'
import { hasRoom } from '../table/commit-in-parts.ts'
import { rowsBy } from '../table/read.ts'
import type { Transaction } from '../table/transaction.ts'
import { type ActorRow, actors } from './actor.ts'

const perPart = 20

/** Stages the deletion of an actor's client tokens; the sessions and authorizations made with them end (A30). */
export async function stageClientTokenDeletions(transaction: Transaction, actorId: string): Promise<'done' | 'more'> {
  const tokens = await rowsBy(clientTokens, transaction.accountId, 'actor_id', actorId, { limit: perPart })
  for (const token of tokens) {
    if (!hasRoom(transaction)) return 'more'
    transaction.delete(clientTokens, token)
    transaction.revoke({ by: 'client_token', id: token.id })
  }
  return tokens.length === perPart ? 'more' : 'done'
}

/** Stages the deletion of an actor with all it has, credentials first (A29); `more` when it did not fit. */
export async function stageActorDeletion(transaction: Transaction, actor: ActorRow): Promise<'done' | 'more'> {
  const { accountId } = transaction
  if ((await stageClientTokenDeletions(transaction, actor.id)) === 'more') return 'more'
  const owned = await rowsBy(apiTokens, accountId, 'actor_id', actor.id, { limit: perPart })
  for (const token of owned) {
    if (!hasRoom(transaction)) return 'more'
    transaction.delete(apiTokens, token)
  }
  const joined = await rowsBy(memberships, accountId, 'actor_id', actor.id, { limit: perPart })
  for (const membership of joined) {
    if (!hasRoom(transaction)) return 'more'
    transaction.delete(memberships, membership)
    transaction.revoke({ by: 'membership', id: `${membership.group_id}#${actor.id}` })
  }
  const devices = await rowsBy(clients, accountId, 'actor_id', actor.id, { limit: perPart })
  for (const client of devices) {
    if (!hasRoom(transaction)) return 'more'
    await deleteClient(transaction, client)
  }
  if ([owned, joined, devices].some((rows) => rows.length === perPart) || !hasRoom(transaction)) return 'more'
  transaction.delete(actors, actor)
  return 'done'
}
