import type { Author } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { notFound } from '../../core/errors.ts'
import { existingRow } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { actors } from '../actors/actor.ts'
import { getRendered, listRendered } from '../reads.ts'
import { withLastRuns } from '../sync/sync-state.ts'
import { type ExternalIdentityRow, externalIdentities } from './external-identity.ts'
import { stageIdentityDeletions } from './issued-tokens.ts'

const render = (account: string, rows: ExternalIdentityRow[]) =>
  withLastRuns(account, rows, ({ directory_id }) => directory_id)

/** Lists the identities of an actor (A27). Reports an invalid cursor before an unknown actor (A4). */
export async function list(account: string, actorId: string, page: Page) {
  const indexes = { actor_id: actorId }
  const listed = await listRendered(externalIdentities, account, page, { indexes, newestFirst: true, render })
  await existingRow(actors, account, actorId)
  return listed
}

export async function get(account: string, actorId: string, id: string) {
  const { data } = await getRendered(externalIdentities, account, id, render)
  return { data: ofActor(data, actorId) }
}

/** Deletes an identity with its actor's client tokens and portal sessions from providers of the same issuer (A27). */
export const remove = (author: Author, actorId: string, id: string) =>
  commitInParts(author, async (transaction) => {
    const identity = ofActor(await transaction.get(externalIdentities, id), actorId)
    return (await stageIdentityDeletions(transaction, [identity])) === 'more' ? 'more' : { done: { data: identity } }
  })

function ofActor(identity: ExternalIdentityRow | null, actorId: string): ExternalIdentityRow {
  if (identity?.actor_id !== actorId) throw notFound()
  return identity
}
