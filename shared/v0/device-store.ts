import { createHash, randomBytes } from 'node:crypto'
import { type Author, commit } from '../commit/commit.ts'
import type { Transaction } from '../commit/transaction.ts'
import { env } from '../core/env.ts'
import { invalidAt } from '../core/errors.ts'
import type { V0Lists } from '../domain/accounts/account.ts'
import { generateClientName } from '../domain/clients/client.ts'
import { rowsBy } from '../table/read.ts'
import type { Draft } from '../values/draft.ts'
import { allocateV0Address } from './allocate-address.ts'
import { readConfiguration } from './configuration.ts'
import { deviceNameValue, undescribedDevice, type V0DeviceInput, type V0DeviceRow, v0Devices } from './device.ts'
import { checkDeviceChange, checkNewDevice } from './device-rules.ts'
import { showDevice } from './read-devices.ts'
import { findOfUser } from './read-users.ts'
import { v0Users } from './user.ts'

const limitReached = 'Maximum device limit reached. Remove an existing device before creating a new one.'

const uniqueFields = ['name', 'public_key', 'ipv4', 'ipv6'] as const
type UniqueValues = { user_id: string } & { [N in (typeof uniqueFields)[number]]?: string | null | undefined }

/** Checks that the key and the addresses are unique, and that the name is unique among the user's devices (`/v0` contract, 10.4). */
async function checkUnused(transaction: Transaction, claim: UniqueValues, except?: V0DeviceRow): Promise<void> {
  for (const field of uniqueFields) {
    const sent = claim[field]
    if (sent == null || sent === except?.[field]) continue
    const value = field === 'name' ? deviceNameValue(claim.user_id, sent) : sent
    if (await transaction.isTaken(`v0_devices.${field}`, value, except))
      throw invalidAt([field], 'has already been taken')
  }
}

async function checkUser(transaction: Transaction, userId: string): Promise<void> {
  if (!(await transaction.get(v0Users, userId))) throw invalidAt(['user_id'], 'does not exist')
  const { devicesPerUser: limit } = env.v0
  const devices = limit === 0 ? [] : await rowsBy(v0Devices, transaction.accountId, 'user_id', userId, { limit })
  if (devices.length >= limit) throw invalidAt(['base'], limitReached)
}

export const create = (author: Author, draft: () => Draft<V0DeviceInput>, lists: V0Lists) =>
  commit(author, async (transaction) => {
    const defaults = await readConfiguration(author.accountId)
    const { name, preshared_key, ipv4, ipv6, ...otherFields } = checkNewDevice(draft(), defaults, lists)
    await checkUser(transaction, otherFields.user_id)
    await checkUnused(transaction, { ...otherFields, name, ipv4, ipv6 })
    const device = transaction.insert(v0Devices, {
      ...undescribedDevice,
      ...otherFields,
      name: name ?? (await freeDeviceName(transaction, otherFields.user_id)),
      preshared_key: preshared_key ?? newPresharedKey(),
      server_public_key: defaults.server_public_key,
      ipv4: ipv4 ?? (await allocateV0Address(transaction, 'ipv4')),
      ipv6: ipv6 ?? (await allocateV0Address(transaction, 'ipv6')),
    })
    return { data: showDevice(device, defaults, lists) }
  })

export const update = (author: Author, id: string, draft: () => Draft<V0DeviceInput>, lists: V0Lists) =>
  commit(author, async (transaction) => {
    const [device, defaults] = await Promise.all([
      findOfUser(v0Devices, author.accountId, id),
      readConfiguration(author.accountId),
    ])
    const changes = checkDeviceChange(draft(), device, defaults, lists)
    await checkUnused(transaction, { ...changes, user_id: device.user_id }, device)
    const after = transaction.update(v0Devices, device, { ...changes })
    return { data: showDevice(after, defaults, lists) }
  })

export const remove = (author: Author, id: string) =>
  commit(author, async (transaction) =>
    transaction.delete(v0Devices, await findOfUser(v0Devices, author.accountId, id)),
  )

const maxLength = 15

/** Shortens a name of more than 15 characters to its first 11 and four digits of its hash (`/v0` contract, 10.5). */
export function shortenName(name: string): string {
  if (name.length <= maxLength) return name
  const hash = createHash('sha256').update(name).digest('hex').toUpperCase()
  return name.slice(0, maxLength - 4) + hash.slice(0, 4)
}

export async function freeDeviceName(
  transaction: Pick<Transaction, 'isTaken'>,
  userId: string,
  generate: () => string = generateClientName,
): Promise<string> {
  for (;;) {
    const name = shortenName(generate())
    if (!(await transaction.isTaken('v0_devices.name', deviceNameValue(userId, name)))) return name
  }
}

const newPresharedKey = (): string => randomBytes(32).toString('base64')
