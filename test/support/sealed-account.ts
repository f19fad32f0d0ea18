import { handler as getCheckpoint } from '#functions/api/logs/get-checkpoint.ts'
import { handler as getProof } from '#functions/api/logs/get-proof.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { commit } from '#shared/commit/commit.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { type Account, newAccount } from './account.ts'
import { writeChangeLogOf } from './commit-stream.ts'
import { sealWorld } from './sealing.ts'

/** Makes commits of so many new sites each, and the entries of the change log that they lead to. */
export async function changeSites(account: string, ...counts: number[]): Promise<void> {
  for (const count of counts) {
    await commit({ accountId: account, subject: null }, async (transaction) => {
      for (let i = 0; i < count; i++) transaction.insert(sites, { name: `site ${i}`, managed_by: 'account' })
    })
  }
  await writeChangeLogOf(account)
}

/** What the answers about sealed logs hold in base64. */
export const bytes = (text: string) => Buffer.from(text, 'base64')

/** An account with three changes to be sealed, and what its administrator asks of its logs. */
export async function newSealedAccount() {
  const account = await newAccount()
  sealWorld()
  await changeSites(account.id, 3)
  const get = (handler: Parameters<Account['call']>[0], params: Record<string, string>, query = {}) =>
    account.call(handler, { method: 'GET', params, query })
  return {
    account,
    get,
    checkpoint: async (log = 'changes') => (await get(getCheckpoint, { log })).body.data,
    /** Its change log, the newest entry first. */
    changes: async () => (await get(listLogs, {}, { type: 'change' })).body.data as { log_id: string }[],
    proof: (log_id: string, query = {}) => get(getProof, { log_id }, query),
  }
}
