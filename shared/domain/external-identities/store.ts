import type { Author } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { notFound } from '../../core/errors.ts'
import { listRows } from '../../table/list.ts'
import { getRow } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { actors } from '../actors/actor.ts'
import { withDirectoryRuns } from '../sync/last-good-run.ts'
import { stageIdentityDeletions } from './delete-external-identity.ts'
import { type ExternalIdentityRow, externalIdentities } from './external-identity.ts'

/** The identities of an actor, newest first (A27). */
export async function list(account: string, actorId: string, page: Page) {
  const { rows, metadata } = await listRows(externalIdentities, account, page, {
    edges: { actor_id: actorId },
    newestFirst: true,
  })
  // A bad cursor is told before an unknown actor (A4).
  if (!(await getRow(actors, account, actorId))) throw notFound()
  return { data: await withDirectoryRuns(account, rows), metadata }
}

export async function get(account: string, actorId: string, id: string) {
  const identity = ofActor(await getRow(externalIdentities, account, id), actorId)
  const [data = identity] = await withDirectoryRuns(account, [identity])
  return { data }
}

/** Deletes an identity with the client tokens and portal sessions that providers of its issuer gave the actor, who stays (A27). */
export const remove = (author: Author, actorId: string, id: string) =>
  commitInParts(author, async (transaction) => {
    const identity = ofActor(await transaction.get(externalIdentities, id), actorId)
    return (await stageIdentityDeletions(transaction, [identity])) === 'more' ? 'more' : { done: { data: identity } }
  })

function ofActor(identity: ExternalIdentityRow | null, actorId: string): ExternalIdentityRow {
  if (identity?.actor_id !== actorId) throw notFound()
  return identity
}
