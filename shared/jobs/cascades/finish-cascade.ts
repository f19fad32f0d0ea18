import type { Cascade } from '../../commit/cascade.ts'
import type { Author } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { stageRestOfAccountDisabling } from '../../domain/accounts/disable-account.ts'
import { stageRestOfActor } from '../../domain/actors/delete-actor.ts'
import { stageRestOfClient } from '../../domain/clients/delete-client.ts'
import { stageRestOfDirectory } from '../../domain/directories/delete-directory.ts'
import { directories, directoryKinds } from '../../domain/directories/directory.ts'
import { stageRestOfGroup } from '../../domain/groups/delete-group.ts'
import { stageRestOfPostureProvider } from '../../domain/posture-providers/store.ts'
import { stageRestOfResource } from '../../domain/resources/delete-resource.ts'
import { stageRestOfSite } from '../../domain/sites/delete-site.ts'
import { stageRestOfUser } from '../../v0/users/delete-user.ts'

/** What is left below a deleted object, by its collection. */
const rests: Record<string, (transaction: Transaction, id: string) => Promise<'done' | 'more'>> = {
  accounts: stageRestOfAccountDisabling,
  actors: stageRestOfActor,
  clients: stageRestOfClient,
  groups: stageRestOfGroup,
  mdm_posture_providers: stageRestOfPostureProvider,
  resources: stageRestOfResource,
  sites: stageRestOfSite,
  v0_users: stageRestOfUser,
  ...Object.fromEntries(directoryKinds.map((kind) => [directories[kind].name, stageRestOfDirectory])),
}

/** Well below the timeout of a consumer. */
const budgetMs = 15_000

/**
 * Deletes what a deletion has left for later (A29), in as many commits as it takes. When its time is over, the last
 * commit names the cascade again, so that the stream goes on with it. Harmless to repeat.
 */
export async function finishCascade({ accountId, subject }: Author, cascade: Cascade): Promise<void> {
  const stage = rests[cascade.below]
  if (!stage) throw new Error(`Nothing is known to lie below ${cascade.below}.`)
  const deadline = Date.now() + budgetMs
  await commitInParts({ accountId, subject }, async (transaction) => {
    if ((await stage(transaction, cascade.id)) === 'done') return { done: undefined }
    if (Date.now() < deadline) return 'more'
    transaction.leave(cascade)
    return { done: undefined }
  })
}
