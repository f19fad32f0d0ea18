import { handler as getCheckpoint } from '#functions/api/logs/get-checkpoint.ts'
import { handler as getProof } from '#functions/api/logs/get-proof.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { commit } from '#shared/commit/commit.ts'
import { readCommitRecord } from '#shared/commit/commit-record.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { changeText } from '#shared/seal/log/entry-text.ts'
import { leafHash } from '#shared/seal/merkle/merkle-proof.ts'
import { commitKey } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { type Account, newAccount } from '../accounts/account.ts'
import { writeChangeLogOf } from '../logs/commit-stream.ts'
import { sealWorld } from './sealing.ts'

export const insertSites = (account: string, count: number) =>
  commit({ accountId: account, subject: null }, async (transaction) => {
    for (let i = 0; i < count; i++) transaction.insert(sites, { name: `site ${i}`, managed_by: 'account' })
  })

/** Commits new sites, one commit per count, and writes their change log entries. */
export async function changeSites(account: string, ...counts: number[]): Promise<void> {
  for (const count of counts) await insertSites(account, count)
  await writeChangeLogOf(account)
}

export const computeLeaves = async (account: string): Promise<Buffer[]> =>
  (await queryItems(commitKey(account, 0).pk))
    .map(readCommitRecord)
    .flatMap((record) => record.changes.map((_, position) => leafHash(changeText(record, position))))

export const bytes = (text: string) => Buffer.from(text, 'base64')

/** Creates an account with three changes to seal, and returns its administrator's log calls. */
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
    changes: async () => (await get(listLogs, {}, { type: 'change' })).body.data as { log_id: string }[],
    proof: (log_id: string, query = {}) => get(getProof, { log_id }, query),
  }
}
