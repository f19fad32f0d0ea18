import { combineStages, stageRows } from '../commit/stage-within-capacity.ts'
import type { Transaction } from '../commit/transaction.ts'
import { rowsBy } from '../table/read.ts'
import { v0Devices } from './device.ts'
import { removeTombstone, stageTombstone } from './read-users.ts'
import { v0Rules } from './rule.ts'
import { type V0UserRow, v0Users } from './user.ts'

/** Maximum number of writes to delete a device. A commit has capacity for the user's own writes and `childCapacity` others. */
const writesPerDevice = 6
const writesPerRule = 3
const childCapacity = 60

/**
 * Stages the deletion of a user and the user's devices and rules. A tombstone hides devices and rules beyond the commit's capacity (`/v0`
 * contract, 9.6).
 */
export async function stageUserDeletion(transaction: Transaction, user: V0UserRow): Promise<void> {
  const { accountId } = transaction
  const devices = await rowsBy(v0Devices, accountId, 'user_id', user.id, { limit: childCapacity / writesPerDevice + 1 })
  const rules = await rowsBy(v0Rules, accountId, 'user_id', user.id, { limit: childCapacity / writesPerRule + 1 })
  if (devices.length * writesPerDevice + rules.length * writesPerRule <= childCapacity) {
    for (const device of devices) transaction.delete(v0Devices, device)
    for (const rule of rules) transaction.delete(v0Rules, rule)
    transaction.delete(v0Users, user)
    return
  }
  transaction.delete(v0Users, user)
  stageTombstone(transaction, user.id)
  if ((await stageChildren(transaction, user.id)) === 'more') transaction.defer({ below: v0Users.name, id: user.id })
}

/** Stages the deletion of a deleted user's devices and rules. The last part also deletes the tombstone. */
export async function stageRestOfUser(transaction: Transaction, id: string): Promise<'done' | 'more'> {
  if ((await stageChildren(transaction, id)) === 'more') return 'more'
  await removeTombstone(transaction, id)
  return 'done'
}

const stageChildren = async (transaction: Transaction, id: string): Promise<'done' | 'more'> =>
  combineStages(
    await stageRows(transaction, v0Devices, 'user_id', id),
    await stageRows(transaction, v0Rules, 'user_id', id),
  )
