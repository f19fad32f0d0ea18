import type { Transaction } from '../../commit/transaction.ts'
import { dayMicros, timestamp } from '../../core/clock.ts'
import type { Item, Key } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'

/** Something that is synced, of any account. */
export type Synced = { account_id: string; collection: string; source_id: string }

/** When the minute schedule looks at what is synced next: to begin a run, or to go on with one. */
export type SyncTurn = Key & Synced & { next_at: string }

/**
 * All turns of the service, one for each directory and posture provider. Accounts have their last steps in the same
 * partition.
 */
export const syncTurnsPartition = 'service#sync'

const lastStepPrefix = '#'

/** When a run of an account last had a step. Forgotten after a day. */
type LastStep = Key & { account_id: string; stepped_at: string }

export const lastStepItem = (account_id: string, now: number): Item => ({
  pk: syncTurnsPartition,
  sk: `${lastStepPrefix}${account_id}`,
  kind: 'last_step',
  account_id,
  stepped_at: timestamp(now),
  ttl: Math.ceil((now + dayMicros) / 1_000_000),
})

/** All turns, and when each account last had a step. */
export async function readTurns(): Promise<{ turns: SyncTurn[]; lastSteps: Map<string, string> }> {
  const items = await queryItems<SyncTurn | LastStep>(syncTurnsPartition)
  const turns = items.flatMap((item) => ('next_at' in item ? [item] : []))
  const steps = items.flatMap((item) => ('stepped_at' in item ? [item] : []))
  return { turns, lastSteps: new Map(steps.map(({ account_id, stepped_at }) => [account_id, stepped_at])) }
}

export const syncTurnKey = ({ account_id, collection, source_id }: Synced): Key => ({
  pk: syncTurnsPartition,
  sk: `${account_id}#${collection}#${source_id}`,
})

/** `at` is a timestamp as rows hold them. */
export const syncTurnItem = ({ account_id, collection, source_id }: Synced, at: string): Item => ({
  ...syncTurnKey({ account_id, collection, source_id }),
  kind: 'turn',
  account_id,
  collection,
  source_id,
  next_at: at,
})

/**
 * Notes with a commit that the schedule is to look now: for a run that is wanted, or at what is gone, whose run that is under way
 * it ends before it takes the turn away.
 */
export function stageTurn(transaction: Transaction, collection: string, sourceId: string): void {
  const synced = { account_id: transaction.accountId, collection, source_id: sourceId }
  transaction.put(syncTurnItem(synced, timestamp(transaction.now)))
}
