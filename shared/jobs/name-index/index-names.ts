import * as v from 'valibot'
import { readAccountIdOrAll } from '../../core/event-account.ts'
import { indexText, markComplete, searchedFields, searchedObjects, writeNames } from '../../domain/names/name-index.ts'
import { sealedAccountsPartition } from '../../seal/log/sealed-log.ts'
import { partition } from '../../table/keys.ts'
import { queryPage, sortKeysOf } from '../../table/read.ts'
import { rejectUnknownAccount } from '../../table/reject-unknown-account.ts'
import { readNext } from '../read-next.ts'

/** Progress of a run. The next page is that of `account` and `object`, after the id `after`. */
const Progress = v.strictObject({
  account_id: v.nullable(v.string()),
  account: v.string(),
  object: v.picklist(searchedObjects),
  after: v.nullable(v.string()),
})
type Progress = v.InferOutput<typeof Progress>

/** Rows per page, whose writes take a few seconds. */
const pageLength = 500

/** Indexes a page of a collection. Returns its last id; null at the end. */
async function indexPage({ account, object, after }: Progress): Promise<{ count: number; last: string | null }> {
  const range = { after: after ?? undefined, limit: pageLength }
  const { items, isLast } = await queryPage(partition(account, object), range, [
    'sk',
    'commit',
    ...searchedFields[object],
  ])
  const rows = items.map((item) => ({
    object,
    id: item.sk,
    text: indexText(object, item),
    commit: Number(item.commit ?? 0),
  }))
  await writeNames(account, rows)
  return { count: rows.length, last: isLast ? null : (items.at(-1)?.sk ?? null) }
}

/**
 * Writes all objects of accounts to the index of the search (K11.G3(6)). Idempotent, also while the accounts change.
 * @param event `account_id` limits the run to one account; `next` resumes an earlier run
 * @throws ApiError `bad_request` for an invalid event or an unknown account
 */
export async function indexNames(event: unknown, hasTime: () => boolean = () => true) {
  const resumed = readNext(Progress, event)
  const account_id = resumed ? resumed.account_id : readAccountIdOrAll(event)
  if (account_id !== null) await rejectUnknownAccount(account_id)
  const accounts = account_id === null ? await sortKeysOf(sealedAccountsPartition) : [account_id]
  const result = { accounts: 0, objects: 0, next: null as Progress | null }
  for (const account of accounts.filter((one) => one >= (resumed?.account ?? ''))) {
    const isResumed = account === resumed?.account
    for (const object of searchedObjects.slice(isResumed ? searchedObjects.indexOf(resumed.object) : 0)) {
      let after = isResumed && object === resumed.object ? resumed.after : null
      do {
        const progress = { account_id, account, object, after }
        if (!hasTime()) return { ...result, next: progress }
        const { count, last } = await indexPage(progress)
        result.objects += count
        after = last
      } while (after !== null)
    }
    await markComplete(account)
    result.accounts++
  }
  return result
}
