import { type Author, commit } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { stageRows } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { clock } from '../../core/clock.ts'
import { notFound } from '../../core/errors.ts'
import type { Entity } from '../../table/entity.ts'
import { listRows } from '../../table/list.ts'
import { existingRow } from '../../table/read.ts'
import { isUnexpired } from '../../values/expiry.ts'
import type { Page } from '../../values/page.ts'
import { actors } from '../actors/actor.ts'
import type { TokenRow } from './token.ts'

function checkUnexpired(token: TokenRow, actorId: string): void {
  if (token.actor_id !== actorId || !isUnexpired(token, clock.now())) throw notFound()
}

/** Creates the operations for an actor's unexpired tokens (A13, A24). */
export const tokenStore = <R extends TokenRow, S extends R>(
  entity: Entity<R>,
  stageDeletion: (transaction: Transaction, token: R) => void,
  render: (account: string, tokens: R[]) => Promise<S[]>,
) => ({
  async list(account: string, actorId: string, page: Page) {
    const now = clock.now()
    const { rows, metadata } = await listRows(entity, account, page, {
      indexes: { actor_id: actorId },
      matches: (token) => isUnexpired(token, now),
      newestFirst: true,
    })
    // Reports an invalid cursor before an unknown actor (A4).
    await existingRow(actors, account, actorId)
    return { data: await render(account, rows), metadata }
  },

  async get(account: string, actorId: string, id: string) {
    const [token] = await Promise.all([existingRow(entity, account, id), existingRow(actors, account, actorId)])
    checkUnexpired(token, actorId)
    const [data] = await render(account, [token])
    return { data: data as S }
  },

  remove: (author: Author, actorId: string, id: string) =>
    commit(author, async (transaction) => {
      const token = await transaction.existing(entity, id)
      checkUnexpired(token, actorId)
      stageDeletion(transaction, token)
      return { data: { id } }
    }),

  /** Deletes all tokens of an actor. The returned count excludes expired tokens. */
  removeAll(author: Author, actorId: string) {
    const unexpiredCounts: number[] = []
    return commitInParts(author, async (transaction, part) => {
      await transaction.existing(actors, actorId)
      let count = 0
      const outcome = await stageRows(transaction, entity, 'actor_id', actorId, (token) => {
        stageDeletion(transaction, token)
        if (isUnexpired(token, transaction.now)) count++
      })
      unexpiredCounts[part] = count
      return outcome === 'more'
        ? 'more'
        : { done: { data: { deleted_count: unexpiredCounts.reduce((sum, each) => sum + each, 0) } } }
    })
  },
})
