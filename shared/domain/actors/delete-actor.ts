import { stageWhileRoom } from '../../commit/stage-while-room.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { liveKey } from '../../table/keys.ts'
import { rowsBy } from '../../table/read.ts'
import { apiTokens } from '../api-tokens/api-token.ts'
import { deleteApiToken } from '../api-tokens/delete-api-token.ts'
import { clientTokens } from '../client-tokens/client-token.ts'
import { deleteClientToken } from '../client-tokens/delete-client-token.ts'
import { clients } from '../clients/client.ts'
import { deleteClient } from '../clients/delete-client.ts'
import { externalIdentities } from '../external-identities/external-identity.ts'
import { memberships } from '../memberships/membership.ts'
import { passcodeKey } from '../passcodes/passcode.ts'
import { stagePortalSessionDeletions } from '../portal-sessions/stage-portal-session-deletions.ts'
import { type ActorRow, actors, isPerson } from './actor.ts'

/** Stages the deletion of an actor's client tokens, with what they authorized, and portal sessions (A30). */
export async function stageTokenDeletions(transaction: Transaction, actorId: string): Promise<'done' | 'more'> {
  const tokens = await stageWhileRoom(
    transaction,
    (range) => rowsBy(clientTokens, transaction.accountId, 'actor_id', actorId, range),
    (token) => deleteClientToken(transaction, token),
  )
  return tokens === 'more' ? tokens : stagePortalSessionDeletions(transaction, 'actor_id', actorId)
}

/**
 * Stages the deletion of an actor with all it has (A29): first its client tokens, with what they authorized, and portal
 * sessions (`more` when they did not fit), then itself, which ends its other credentials; the rest goes along or is left for later.
 */
export async function stageActorDeletion(transaction: Transaction, actor: ActorRow): Promise<'done' | 'more'> {
  if ((await stageTokenDeletions(transaction, actor.id)) === 'more') return 'more'
  transaction.delete(actors, actor)
  transaction.remove(liveKey(transaction.accountId, actors.name, actor.id))
  if (isPerson(actor.type)) transaction.remove(passcodeKey(transaction.accountId, actor.id))
  if ((await stageRestOfActor(transaction, actor.id)) === 'more')
    transaction.defer({ below: actors.name, id: actor.id })
  return 'done'
}

export async function stageRestOfActor(transaction: Transaction, id: string): Promise<'done' | 'more'> {
  const { accountId } = transaction
  const outcomes = [
    await stageWhileRoom(
      transaction,
      (range) => rowsBy(apiTokens, accountId, 'actor_id', id, range),
      (token) => deleteApiToken(transaction, token),
    ),
    await stageWhileRoom(
      transaction,
      (range) => rowsBy(externalIdentities, accountId, 'actor_id', id, range),
      (identity) => transaction.delete(externalIdentities, identity),
    ),
    await stageWhileRoom(
      transaction,
      (range) => rowsBy(memberships, accountId, 'actor_id', id, range),
      (membership) => {
        transaction.delete(memberships, membership)
        transaction.revoke({ by: 'membership', id: `${membership.group_id}#${id}` })
      },
    ),
    await stageWhileRoom(
      transaction,
      (range) => rowsBy(clients, accountId, 'actor_id', id, range),
      (client) => deleteClient(transaction, client),
    ),
  ]
  return outcomes.includes('more') ? 'more' : 'done'
}
