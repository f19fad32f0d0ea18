import { type Author, commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { env } from '../../core/env.ts'
import { invalid } from '../../core/errors.ts'
import { resealSecret, sealSecret } from '../../core/secrets/sealed-secret.ts'
import type { V0Lists } from '../../domain/accounts/account.ts'
import { rowsBy } from '../../table/read.ts'
import type { Draft } from '../../values/draft.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import { v0Users } from '../users/user.ts'
import { allocateV0Address } from './allocate-address.ts'
import { deviceNameValue, type V0DeviceInput, type V0DeviceRow, v0Devices } from './device.ts'
import { checkDeviceChange, checkNewDevice } from './device-rules.ts'
import { freeDeviceName } from './generated-name.ts'
import { newPresharedKey } from './preshared-key.ts'
import { find } from './read-devices.ts'
import { serverPublicKey } from './server-key.ts'
import { showDevice } from './show-device.ts'

const limitReached = 'Maximum device limit reached. Remove an existing device before creating a new one.'

type Claim = { user_id: string } & Partial<Pick<V0DeviceRow, 'name' | 'public_key' | 'ipv4' | 'ipv6'>>

/** No two devices share a key or an address, and no two of a user share a name (10.4). */
async function checkUnused(transaction: Transaction, claim: Claim, except?: V0DeviceRow): Promise<void> {
  for (const field of ['name', 'public_key', 'ipv4', 'ipv6'] as const) {
    const given = claim[field]
    if (given === undefined || given === except?.[field]) continue
    const value = field === 'name' ? deviceNameValue(claim.user_id, given) : given
    if (await transaction.isTaken(`v0_devices.${field}`, value, except))
      throw invalid({ [field]: ['has already been taken'] })
  }
}

async function checkUser(transaction: Transaction, userId: string): Promise<void> {
  if (!(await transaction.get(v0Users, userId))) throw invalid({ user_id: ['does not exist'] })
  const { devicesPerUser: limit } = env.v0
  const devices = limit === 0 ? [] : await rowsBy(v0Devices, transaction.accountId, 'user_id', userId, { limit })
  if (devices.length >= limit) throw invalid({ base: [limitReached] })
}

export const create = (author: Author, draft: () => Draft<V0DeviceInput>, lists: V0Lists) =>
  commit(author, async (transaction) => {
    const defaults = await readConfiguration(author.accountId)
    const { name, preshared_key, ipv4, ipv6, ...given } = checkNewDevice(draft(), defaults, lists)
    await checkUser(transaction, given.user_id)
    await checkUnused(transaction, {
      user_id: given.user_id,
      public_key: given.public_key,
      name: name ?? undefined,
      ipv4: ipv4 ?? undefined,
      ipv6: ipv6 ?? undefined,
    })
    const device = transaction.insert(v0Devices, {
      description: null,
      allowed_ips: null,
      dns: null,
      endpoint: null,
      mtu: null,
      persistent_keepalive: null,
      use_default_allowed_ips: true,
      use_default_dns: true,
      use_default_endpoint: true,
      use_default_mtu: true,
      use_default_persistent_keepalive: true,
      ...given,
      name: name ?? (await freeDeviceName(transaction, given.user_id)),
      preshared_key: await sealSecret(author.accountId, preshared_key ?? newPresharedKey()),
      server_public_key: await serverPublicKey(author.accountId),
      ipv4: ipv4 ?? (await allocateV0Address(transaction, 'ipv4')),
      ipv6: ipv6 ?? (await allocateV0Address(transaction, 'ipv6')),
      latest_handshake: null,
      remote_ip: null,
      rx_bytes: null,
      tx_bytes: null,
    })
    return { data: await showDevice(author.accountId, device, defaults, lists) }
  })

export const update = (author: Author, id: string, draft: () => Draft<V0DeviceInput>, lists: V0Lists) =>
  commit(author, async (transaction) => {
    const [device, defaults] = await Promise.all([find(author.accountId, id), readConfiguration(author.accountId)])
    const { preshared_key, ...changes } = checkDeviceChange(draft(), device, defaults, lists)
    await checkUnused(transaction, { ...changes, user_id: device.user_id }, device)
    const after = transaction.update(v0Devices, device, {
      ...changes,
      preshared_key: preshared_key && (await resealSecret(author.accountId, preshared_key, device.preshared_key)),
    })
    return { data: await showDevice(author.accountId, after, defaults, lists) }
  })

export const remove = (author: Author, id: string) =>
  commit(author, async (transaction) => transaction.delete(v0Devices, await find(author.accountId, id)))
