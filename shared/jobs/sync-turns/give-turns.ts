import { clock, timestamp } from '../../core/clock.ts'
import { syncTurnItem } from '../../domain/sync/sync-turn.ts'
import { sealedAccountsPartition } from '../../seal/log/sealed-accounts.ts'
import { nextSlot } from '../../sync/runs/next-slot.ts'
import { sourceKinds } from '../../sync/steps/source-kinds.ts'
import { itemRow } from '../../table/entity.ts'
import { type Item, type Key, partition } from '../../table/keys.ts'
import { getItem, itemsOf } from '../../table/read.ts'
import { put, putOver, writeTogether } from '../../table/write-together.ts'
import { searchKey as accountSearchKey } from '../seal/find-accounts.ts'

/** Says that all that is synced has its turn. */
const givenKey: Key = { pk: 'service#sync.given', sk: 'given' }

/** The enabled directories and posture providers of an account, each with the turn that it would have. */
async function* turnsOf(account_id: string, now: number): AsyncGenerator<Item> {
  for (const [collection, kind] of sourceKinds) {
    for await (const item of itemsOf(partition(account_id, collection))) {
      const row = itemRow(kind.entity, item)
      if (row.is_disabled) continue
      yield syncTurnItem({ account_id, collection, source_id: row.id }, timestamp(nextSlot(kind.minuteOf(row), now)))
    }
  }
}

/**
 * Gives a turn to what was made before there were any, and is enabled: once, as soon as all accounts are known. What is made or
 * enabled today has its own. Harmless to repeat.
 */
export async function giveTurns(): Promise<void> {
  if (await getItem(givenKey)) return
  const search = await getItem<Key & { done?: boolean }>(accountSearchKey)
  if (!search?.done) return
  const now = clock.now()
  for await (const { sk: account } of itemsOf(sealedAccountsPartition)) {
    // One that is there stays.
    for await (const turn of turnsOf(account, now)) await writeTogether([putOver(turn, null)])
  }
  await writeTogether([put({ ...givenKey, kind: 'turns_given' })])
}
