import { stageWhileRoom } from '../../commit/stage-while-room.ts'
import type { Transaction } from '../../commit/transaction.ts'
import type { Entity, Row } from '../../table/entity.ts'
import { rowsBy } from '../../table/read.ts'
import { v0Devices } from '../devices/device.ts'
import { v0Rules } from '../rules/rule.ts'
import { markGone, unmarkGone } from './gone-users.ts'
import { type V0UserRow, v0Users } from './user.ts'

/** Writes that a row takes at most, and how many of them surely fit one commit with that of the user. */
const writesPerDevice = 6
const writesPerRule = 3
const roomForChildren = 60

const ofUser = <R extends Row>(transaction: Transaction, entity: Entity<R>, userId: string, limit: number) =>
  rowsBy(entity, transaction.accountId, 'user_id', userId, { limit })

/**
 * Stages the deletion of a user with its devices and rules (`/v0` contract, 9.6). When they do not fit one commit, the
 * user goes first, which hides what is left for later.
 */
export async function stageUserDeletion(transaction: Transaction, user: V0UserRow): Promise<void> {
  const devices = await ofUser(transaction, v0Devices, user.id, roomForChildren / writesPerDevice + 1)
  const rules = await ofUser(transaction, v0Rules, user.id, roomForChildren / writesPerRule + 1)
  if (devices.length * writesPerDevice + rules.length * writesPerRule <= roomForChildren) {
    for (const device of devices) transaction.delete(v0Devices, device)
    for (const rule of rules) transaction.delete(v0Rules, rule)
    transaction.delete(v0Users, user)
    return
  }
  transaction.delete(v0Users, user)
  markGone(transaction, user.id)
  if ((await stageChildren(transaction, user.id)) === 'more') transaction.defer({ below: v0Users.name, id: user.id })
}

/** Stages the deletion of a deleted user's devices and rules; the mark goes with the last of them. */
export async function stageRestOfUser(transaction: Transaction, id: string): Promise<'done' | 'more'> {
  if ((await stageChildren(transaction, id)) === 'more') return 'more'
  await unmarkGone(transaction, id)
  return 'done'
}

async function stageChildren(transaction: Transaction, id: string): Promise<'done' | 'more'> {
  const devices = await stageWhileRoom(
    transaction,
    ({ limit }) => ofUser(transaction, v0Devices, id, limit),
    (device) => transaction.delete(v0Devices, device),
  )
  const rules = await stageWhileRoom(
    transaction,
    ({ limit }) => ofUser(transaction, v0Rules, id, limit),
    (rule) => transaction.delete(v0Rules, rule),
  )
  return devices === 'more' || rules === 'more' ? 'more' : 'done'
}
