import type * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { stageWhileRoom } from '../../commit/stage-while-room.ts'
import { clock } from '../../core/clock.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { listMatching } from '../../table/list.ts'
import { getRow, getRows, rowsBy } from '../../table/read.ts'
import type { Draft } from '../../values/draft.ts'
import { checkExpiry, isUnexpired } from '../../values/expiry.ts'
import type { Page } from '../../values/page.ts'
import { type ActorRow, actors } from '../actors/actor.ts'
import { type ClientTokenFields, type ClientTokenRow, clientTokens } from './client-token.ts'
import { deleteClientToken } from './delete-client-token.ts'
import { mintClientToken } from './mint-client-token.ts'

type Input = v.InferOutput<typeof ClientTokenFields>

/** The unexpired tokens of an actor, newest first (A24.2). */
export async function list(account: string, actorId: string, page: Page) {
  const now = clock.now()
  const { rows, metadata } = await listMatching(clientTokens, account, page, {
    edge: ['actor_id', actorId],
    matches: (token) => isUnexpired(token, now),
    newestFirst: true,
  })
  // A bad cursor is told before an unknown actor (A4).
  if (!(await getRow(actors, account, actorId))) throw notFound()
  return { data: rows, metadata }
}

/** @throws ApiError 404, `not_a_service_account`, then `validation_failed` (A24.1) */
export const create = (author: Author, actorId: string, draft: () => Draft<Input>) =>
  commit(author, async (transaction) => {
    const actor = await transaction.get(actors, actorId)
    if (!actor) throw notFound()
    if (actor.type !== 'service_account') {
      throw new ApiError('not_a_service_account', 'Client tokens are created for service accounts only.')
    }
    const fields = draft()
    checkExpiry(fields, transaction.now)
    return { data: await mintClientToken(transaction, actorId, { ...fields.done(), auth_provider_id: null }) }
  })

export async function get(account: string, actorId: string, id: string) {
  const [[actor], [token]] = await Promise.all([
    getRows(actors, account, [actorId]),
    getRows(clientTokens, account, [id]),
  ])
  if (!actor || !token || !shows(actor, token)) throw notFound()
  return { data: token }
}

/** Deletes one token with the sessions and authorizations made with it (A24.4). */
export const remove = (author: Author, actorId: string, id: string) =>
  commit(author, async (transaction) => {
    const actor = await transaction.get(actors, actorId)
    const token = await transaction.get(clientTokens, id)
    if (!actor || !token || !shows(actor, token)) throw notFound()
    deleteClientToken(transaction, token)
    return { data: { id: token.id } }
  })

/** Deletes every token of an actor; expired ones go along uncounted. */
export async function removeAll(author: Author, actorId: string) {
  const counted = new Set<string>()
  return commitInParts(author, async (transaction) => {
    const actor = await transaction.get(actors, actorId)
    if (!actor) throw notFound()
    const outcome = await stageWhileRoom(
      transaction,
      (range) => rowsBy(clientTokens, author.accountId, 'actor_id', actorId, range),
      (token) => {
        deleteClientToken(transaction, token)
        if (shows(actor, token)) counted.add(token.id)
      },
    )
    return outcome === 'more' ? 'more' : { done: { data: { deleted_count: counted.size } } }
  })
}

const shows = (actor: ActorRow, token: ClientTokenRow): boolean =>
  actor.type !== 'api_client' && token.actor_id === actor.id && isUnexpired(token, clock.now())
