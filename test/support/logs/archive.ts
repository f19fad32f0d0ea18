import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { flushAccount } from '#shared/archive/flush-account.ts'
import { archiveStateKey } from '#shared/logs/blocks/archive-view.ts'
import { changeItem } from '#shared/table/change-item.ts'
import { sealKey } from '#shared/table/keys.ts'
import { table, tableName } from '#shared/table/table.ts'

const put = (Item: Record<string, unknown>) => table().send(new PutCommand({ TableName: tableName(), Item }))

/** Stores the state of an archive whose last flushed hour ended at `watermark`. */
export async function putArchiveState(account: string, watermark: number): Promise<void> {
  const state = { watermark, until: watermark, manifests: 0, previous: null, totals: {}, written_at: 1 }
  await put({ ...archiveStateKey(account), kind: 'archive', ...state })
}

/** Continues an archive at a later hour, because flushing days without flows takes long. */
export async function skipHours(account: string, watermark: number): Promise<void> {
  await changeItem(archiveStateKey(account), { set: { watermark } })
}

/** Marks the activity log of an account without sessions and API requests as sealed. */
export const sealNoActivity = (account: string) =>
  put({ ...sealKey(account, 'activity'), kind: 'seal', hour: Number.MAX_SAFE_INTEGER })

/** Marks both logs of an account without entries in its due hours as sealed, so that these hours can be flushed. */
export async function sealNothing(account: string): Promise<void> {
  await sealNoActivity(account)
  await put({ ...sealKey(account, 'changes'), kind: 'seal', size: 0, time: Number.MAX_SAFE_INTEGER })
}

/** Flushes all due hours of an account without changes, sessions and API requests. */
export async function flushFlows(account: string): Promise<void> {
  await sealNothing(account)
  await flushAccount(account, Number.POSITIVE_INFINITY)
}
