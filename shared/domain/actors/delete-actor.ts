import { readAhead, stageWhileRoom } from '../../commit/stage-while-room.ts'
import type { Transaction } from '../../commit/transaction.ts'
import type { Entity, Row } from '../../table/entity.ts'
import { liveKey } from '../../table/keys.ts'
import { rowsBy } from '../../table/read.ts'
import { apiTokens } from '../api-tokens/api-token.ts'
import { deleteApiToken } from '../api-tokens/delete-api-token.ts'
import { clientTokens } from '../client-tokens/client-token.ts'
import { deleteClientToken } from '../client-tokens/delete-client-token.ts'
import { clients } from '../clients/client.ts'
import { deleteClient } from '../clients/delete-client.ts'
import { type ExternalIdentityRow, externalIdentities } from '../external-identities/external-identity.ts'
import { memberships } from '../memberships/membership.ts'
import { passcodeKey } from '../passcodes/passcode.ts'
import { portalSessions } from '../portal-sessions/portal-session.ts'
import { type ActorRow, actors, isPerson } from './actor.ts'

/** Stages the deletion of an actor's client tokens, with what they authorized, and portal sessions (A30). */
export async function stageTokenDeletions(transaction: Transaction, actorId: string): Promise<'done' | 'more'> {
  const { accountId } = transaction
  const tokens = readAhead((range) => rowsBy(clientTokens, accountId, 'actor_id', actorId, range))
  const sessions = readAhead((range) => rowsBy(portalSessions, accountId, 'actor_id', actorId, range))
  const outcome = await stageWhileRoom(transaction, tokens, (token) => deleteClientToken(transaction, token))
  if (outcome === 'more') return outcome
  return stageWhileRoom(transaction, sessions, (session) => transaction.delete(portalSessions, session))
}

/**
 * Stages the deletion of an actor with all it has (A29): first its client tokens, with what they authorized, and portal
 * sessions (`more` when they did not fit), then itself, which ends its other credentials; the rest goes along or is left for later.
 * @param identity goes in the same commit as the actor
 */
export async function stageActorDeletion(
  transaction: Transaction,
  actor: ActorRow,
  identity?: ExternalIdentityRow,
): Promise<'done' | 'more'> {
  if ((await stageTokenDeletions(transaction, actor.id)) === 'more' || !transaction.hasRoom()) return 'more'
  if (identity) transaction.delete(externalIdentities, identity)
  transaction.delete(actors, actor)
  transaction.remove(liveKey(transaction.accountId, actors.name, actor.id))
  if (isPerson(actor.type)) transaction.remove(passcodeKey(transaction.accountId, actor.id))
  if ((await stageRestOfActor(transaction, actor.id)) === 'more')
    transaction.defer({ below: actors.name, id: actor.id })
  return 'done'
}

export async function stageRestOfActor(transaction: Transaction, id: string): Promise<'done' | 'more'> {
  const { accountId } = transaction
  const own = <R extends Row>(entity: Entity<R>) =>
    readAhead((range) => rowsBy(entity, accountId, 'actor_id', id, range))
  const [tokens, identities, groups, devices] = [
    own(apiTokens),
    own(externalIdentities),
    own(memberships),
    own(clients),
  ]
  const outcomes = [
    await stageWhileRoom(transaction, tokens, (token) => deleteApiToken(transaction, token)),
    await stageWhileRoom(transaction, identities, (identity) => transaction.delete(externalIdentities, identity)),
    await stageWhileRoom(transaction, groups, (membership) => {
      transaction.delete(memberships, membership)
      transaction.revoke({ by: 'membership', id: `${membership.group_id}#${id}` })
    }),
    await stageWhileRoom(transaction, devices, (client) => deleteClient(transaction, client)),
  ]
  return outcomes.includes('more') ? 'more' : 'done'
}
