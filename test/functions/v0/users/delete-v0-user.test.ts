import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler as deleteDevice } from '#functions/v0/devices/delete-v0-device.ts'
import { handler as getDevice } from '#functions/v0/devices/get-v0-device.ts'
import { handler as listDevices } from '#functions/v0/devices/list-v0-devices.ts'
import { handler as updateDevice } from '#functions/v0/devices/update-v0-device.ts'
import { handler as deleteUser } from '#functions/v0/users/delete-v0-user.ts'
import { handler as getUser } from '#functions/v0/users/get-v0-user.ts'
import { clock } from '#shared/core/clock.ts'
import { getRow, rowsBy } from '#shared/table/read.ts'
import { type V0DeviceRow, v0Devices } from '#shared/v0/device.ts'
import { readDeletedUsers } from '#shared/v0/read-users.ts'
import { v0Rules } from '#shared/v0/rule.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newV0Device, newV0User } from '#test/support/accounts/v0.ts'
import { followUpAll, readCommits } from '#test/support/logs/commit-stream.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'
import { failTable } from '#test/support/table/table-faults.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const remove = (account: Awaited<ReturnType<typeof newAccount>>, id_or_email: string) =>
  account.call(deleteUser, { method: 'DELETE', params: { id_or_email } })

it('deletes a user by id or email, and then returns not found', async () => {
  const account = await newAccount()
  for (const key of ['id', 'email'] as const) {
    const user = await newV0User(account)
    const { status, text, headers } = await remove(account, user[key])
    expect([status, text, headers['content-type']]).toEqual([204, '', 'application/json; charset=utf-8'])
    for (const handler of [deleteUser, getUser]) {
      const answer = await account.call(handler, { params: { id_or_email: user.id } })
      expect([answer.status, answer.body]).toEqual([404, { error: 'not_found' }])
    }
    expect((await readCommits(account.id)).at(-1)?.changes).toMatchObject([
      { object: 'v0_users', operation: 'delete', before: { email: user.email, password_hash: null }, after: null },
    ])
    await newV0User(account, { email: user.email })
  }
})

it('keeps the last admin', async () => {
  const account = await newAccount()
  const refused = await remove(account, 'ada@example.com')
  expect([refused.status, refused.body]).toEqual([422, { error: "Can't delete the last admin user." }])
  const other = await newV0User(account, { role: 'admin' })
  const answers = await Promise.all([remove(account, 'ada@example.com'), remove(account, other.id)])
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 422])
})

const plantRules = (accountId: string, user_id: string, count: number) =>
  plantRows(accountId, v0Rules, count, (i) => ({
    action: 'drop' as const,
    destination: `10.${i >> 8}.${i & 255}.0/24`,
    port_type: null,
    port_range: null,
    user_id,
  }))

async function plantDevices(accountId: string, id: string, count: number): Promise<void> {
  const {
    id: _id,
    inserted_at: _inserted,
    updated_at: _updated,
    ...like
  } = (await getRow(v0Devices, accountId, id)) as V0DeviceRow
  await plantRows(accountId, v0Devices, count, (i) => ({
    ...like,
    name: `device ${i}`,
    public_key: publicKey(),
    ipv4: `203.0.113.${i}`,
    ipv6: `2001:db8::${i}`,
  }))
}

/** Makes commits fail while `fails` returns true. Advances the clock at each failure, so that there are few retries. */
function failCommits(fails: () => boolean): void {
  const now = clock.monotonic
  let passed = 0
  vi.spyOn(clock, 'monotonic').mockImplementation(() => now() + passed)
  const isFailing = (command: object) => command instanceof TransactWriteCommand && fails()
  failTable('InternalServerError', isFailing, () => (passed += 30_000))
}

const changesOf = async (account: string) =>
  (await readCommits(account)).flatMap(({ changes }) => changes).filter(({ operation }) => operation === 'delete')

it("deletes the user's devices and rules in one commit if they fit, devices first", async () => {
  const account = await newAccount()
  const user = await newV0User(account)
  const devices = [await newV0Device(account, { user_id: user.id }), await newV0Device(account, { user_id: user.id })]
  const other = await newV0Device(account)
  await plantRules(account.id, user.id, 3)
  await remove(account, user.id)
  expect((await account.call(listDevices)).body.data).toEqual([other])
  const changes = (await readCommits(account.id)).at(-1)?.changes ?? []
  expect(changes.map(({ object }) => object)).toEqual([
    'v0_devices',
    'v0_devices',
    'v0_rules',
    'v0_rules',
    'v0_rules',
    'v0_users',
  ])
  expect(changes.slice(0, 2).map(({ before }) => before?.id)).toEqual(devices.map(({ id }) => id))
})

describe('a user with many devices and rules', () => {
  const many = async () => {
    vi.stubEnv('V0_DEVICES_PER_USER', '30')
    const account = await newAccount()
    const user = await newV0User(account)
    const { id } = await newV0Device(account, { user_id: user.id })
    await plantDevices(account.id, id, 24)
    await plantRules(account.id, user.id, 300)
    return { account, user, devices: await rowsBy(v0Devices, account.id, 'user_id', user.id) }
  }
  const rowsOf = async (account: string, userId: string) => [
    ...(await rowsBy(v0Devices, account, 'user_id', userId)),
    ...(await rowsBy(v0Rules, account, 'user_id', userId)),
  ]

  it('is gone with all of them for every reader before the response, and soon afterwards in the table', async () => {
    const { account, user, devices } = await many()
    expect((await remove(account, user.id)).status).toBe(204)
    const left = await rowsBy(v0Devices, account.id, 'user_id', user.id)
    expect(left.length).toBeGreaterThan(0)
    expect((await account.call(listDevices)).body).toEqual({ data: [] })
    const page = (await account.call(listDevices, { query: { limit: '10' } })).body
    expect(page).toMatchObject({ data: [], metadata: { total: 0, next_page: null } })
    for (const { id } of devices) {
      for (const handler of [getDevice, updateDevice, deleteDevice]) {
        const answer = await account.call(handler, { params: { id }, body: { device: {} } })
        expect([answer.status, answer.body]).toEqual([404, { error: 'not_found' }])
      }
    }
    await followUpAll(account.id)
    expect(await rowsOf(account.id, user.id)).toEqual([])
    expect(await readDeletedUsers(account.id)).toEqual(new Set())
    const deleted = (await changesOf(account.id)).map(({ before }) => before?.id)
    expect(new Set(deleted).size).toBe(1 + 25 + 300)
    expect(deleted).toHaveLength(1 + 25 + 300)
    expect(deleted[0]).toBe(user.id)
  })

  it('is completed after any number of interruptions', async () => {
    const { account, user } = await many()
    await remove(account, user.id)
    let writes = 0
    failCommits(() => ++writes > 2)
    await expect(followUpAll(account.id)).rejects.toThrow()
    vi.restoreAllMocks()
    expect((await rowsOf(account.id, user.id)).length).toBeGreaterThan(0)
    await followUpAll(account.id)
    await followUpAll(account.id)
    expect(await rowsOf(account.id, user.id)).toEqual([])
    expect((await changesOf(account.id)).length).toBe(1 + 25 + 300)
  })

  it('stays unchanged if its deletion cannot be written', async () => {
    const { account, user } = await many()
    failCommits(() => true)
    const refused = await remove(account, user.id)
    vi.restoreAllMocks()
    expect([refused.status, refused.body]).toEqual([503, { error: 'service_unavailable' }])
    expect((await account.call(getUser, { params: { id_or_email: user.id } })).body.data).toEqual(user)
    expect((await account.call(listDevices)).body.data).toHaveLength(25)
  })
})

it('never keeps a device of a user in deletion', async () => {
  const account = await newAccount()
  const user = await newV0User(account)
  const create = () => newV0Device(account, { user_id: user.id }).catch((error: Error) => error.message)
  const [made] = await Promise.all([create(), remove(account, user.id)])
  await followUpAll(account.id)
  if (typeof made === 'string') expect(made).toBe('{"errors":{"user_id":["does not exist"]}}')
  expect((await account.call(listDevices)).body).toEqual({ data: [] })
})
