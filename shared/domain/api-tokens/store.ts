import type * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { stageWhileRoom } from '../../commit/stage-while-room.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { clock } from '../../core/clock.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { listMatching } from '../../table/list.ts'
import { getRow, rowsBy } from '../../table/read.ts'
import type { Draft } from '../../values/draft.ts'
import { checkExpiry, isUnexpired } from '../../values/expiry.ts'
import type { Page } from '../../values/page.ts'
import { accounts } from '../accounts/account.ts'
import { limitReached } from '../accounts/check-limit.ts'
import { actors } from '../actors/actor.ts'
import { type ApiTokenFields, type ApiTokenRow, apiTokens } from './api-token.ts'
import { deleteApiToken } from './delete-api-token.ts'
import { lastSeen } from './last-seen.ts'
import { mintApiToken } from './mint-api-token.ts'
import { mayGrantAll } from './scopes.ts'

/** The unexpired tokens of an actor, newest first; an actor of another type has none (A13.5). */
export async function list(account: string, actorId: string, page: Page) {
  const now = clock.now()
  const { rows, metadata } = await listMatching(apiTokens, account, page, {
    edge: ['actor_id', actorId],
    matches: (token) => isUnexpired(token, now),
    newestFirst: true,
  })
  // A bad cursor is told before an unknown actor (A4).
  if (!(await getRow(actors, account, actorId))) throw notFound()
  const ids = rows.map(({ id }) => id)
  const seen = await lastSeen(account, apiTokens.name, ids)
  return { data: rows.map((row, i) => ({ ...row, last_seen_at: seen[i] ?? null })), metadata }
}

/**
 * @throws ApiError 404, `not_an_api_client`, `limit_reached`, `validation_failed`, then `scope_exceeded`: nobody mints a
 * token wider than the own one (A13.2, A13.3)
 */
export const create = (author: Author, actorId: string, draft: () => Draft<v.InferOutput<typeof ApiTokenFields>>) =>
  commit(author, async (transaction) => {
    const actor = await transaction.get(actors, actorId)
    if (!actor) throw notFound()
    if (actor.type !== 'api_client') {
      throw new ApiError('not_an_api_client', 'API tokens are created for API clients only.')
    }
    await checkLimit(transaction, actorId)
    const fields = draft()
    checkExpiry(fields, transaction.now)
    const { name = null, scopes = ['*'], ...input } = fields.done()
    if (!mayGrantAll(author, scopes)) {
      throw new ApiError('scope_exceeded', 'A token cannot create a token with more scopes than its own.')
    }
    return { data: await mintApiToken(transaction, actorId, { ...input, name, scopes }) }
  })

async function checkLimit(transaction: Transaction, actorId: string): Promise<void> {
  const account = await transaction.get(accounts, transaction.accountId)
  const total = account?.limits.api_tokens_per_client_count ?? null
  if (total === null) return
  const tokens = await rowsBy(apiTokens, transaction.accountId, 'actor_id', actorId)
  const live = tokens.filter((token) => isUnexpired(token, transaction.now))
  if (live.length >= total) throw limitReached('api_tokens')
}

export async function get(account: string, actorId: string, id: string) {
  const [actor, token] = await Promise.all([getRow(actors, account, actorId), getRow(apiTokens, account, id)])
  if (!actor || !token || !belongs(token, actorId)) throw notFound()
  const [last_seen_at = null] = await lastSeen(account, apiTokens.name, [id])
  return { data: { ...token, last_seen_at } }
}

export const remove = (author: Author, actorId: string, id: string) =>
  commit(author, async (transaction) => {
    const token = await transaction.get(apiTokens, id)
    if (!token || !belongs(token, actorId)) throw notFound()
    deleteApiToken(transaction, token)
    return { data: { id } }
  })

/** Deletes every token of an actor; expired ones go along uncounted. */
export async function removeAll(author: Author, actorId: string) {
  const counted = new Set<string>()
  return commitInParts(author, async (transaction) => {
    if (!(await transaction.get(actors, actorId))) throw notFound()
    const outcome = await stageWhileRoom(
      transaction,
      (range) => rowsBy(apiTokens, author.accountId, 'actor_id', actorId, range),
      (token) => {
        deleteApiToken(transaction, token)
        if (isUnexpired(token, transaction.now)) counted.add(token.id)
      },
    )
    return outcome === 'more' ? 'more' : { done: { data: { deleted_count: counted.size } } }
  })
}

const belongs = (token: ApiTokenRow, actorId: string): boolean =>
  token.actor_id === actorId && isUnexpired(token, clock.now())
