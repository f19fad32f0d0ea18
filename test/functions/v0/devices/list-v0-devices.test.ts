import { beforeAll, expect, it } from 'vitest'
import { handler as listDevices } from '#functions/v0/devices/list-v0-devices.ts'
import { getRow } from '#shared/table/read.ts'
import { type V0DeviceRow, v0Devices } from '#shared/v0/device.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newV0Device } from '#test/support/accounts/v0.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const list = (query: Record<string, string> = {}) => account.call(listDevices, { path: '/v0/devices', query })

it('is empty without devices', async () => {
  const { status, body } = await list()
  expect([status, body]).toEqual([200, { data: [] }])
})

it('returns all devices by insertion with their effective values, in pages on request', async () => {
  const devices = []
  for (const fields of [{}, { mtu: 1300 }, { dns: 'ns.example.net' }]) devices.push(await newV0Device(account, fields))
  expect((await list()).body).toEqual({ data: devices })
  const first = (await list({ limit: '2' })).body
  expect(first).toEqual({
    data: devices.slice(0, 2),
    metadata: { limit: 2, next_page: expect.any(String), prev_page: null, count: 3, total: 3 },
  })
  const second = (await list({ limit: '2', page_cursor: first.metadata.next_page })).body
  expect([second.data, second.metadata.next_page]).toEqual([devices.slice(2), null])
})

it('returns a shorter page if the response would exceed 5 MB', async () => {
  const ownAccount = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
  // Control characters, each of which takes six bytes in JSON. `allowed_ips` and `dns` may end with `\v`.
  const long = {
    description: '\u0001'.repeat(2048),
    allowed_ips: `192.0.2.1${'\v'.repeat(4087)}`,
    dns: `ns${'\v'.repeat(4094)}`,
  }
  const { id: made } = await newV0Device(ownAccount, long)
  const {
    id: _id,
    inserted_at: _inserted,
    updated_at: _updated,
    ...row
  } = (await getRow(v0Devices, ownAccount.id, made)) as V0DeviceRow
  await plantRows(ownAccount.id, v0Devices, 89, () => row, [])

  const seen: string[] = []
  let cursor: string | null = null
  do {
    const query: Record<string, string> = { limit: '100', ...(cursor && { page_cursor: cursor }) }
    const { status, body } = await ownAccount.call(listDevices, { path: '/v0/devices', query })
    expect(status).toBe(200)
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(5_242_880)
    expect(body.metadata).toMatchObject({ limit: 100, count: 90, total: 90 })
    seen.push(...body.data.map(({ id }: { id: string }) => id))
    cursor = body.metadata.next_page
  } while (cursor !== null)
  expect(new Set(seen).size).toBe(90)
  expect(seen).toHaveLength(90)
  expect((await ownAccount.call(listDevices, { path: '/v0/devices' })).status).toBe(413)
})

it('refuses a list below 5 MB that exceeds the size of a Lambda response', async () => {
  const ownAccount = await newAccount()
  const { id: _id, inserted_at: _inserted, updated_at: _updated, ...device } = await newV0Device(ownAccount)
  // Description that consists of quotes. Each quote takes two bytes in the body, and four in the JSON string that contains the body.
  const description = '"'.repeat(2048)
  await plantRows(ownAccount.id, v0Devices, 740, () => ({ ...device, description }), [])
  const { status, body } = await ownAccount.call(listDevices, { path: '/v0/devices' })
  expect([status, body.error]).toEqual([413, 'payload_too_large'])
  const page = await ownAccount.call(listDevices, { path: '/v0/devices', query: { limit: '100' } })
  expect([page.status, page.body.data.length, page.body.metadata.total]).toEqual([200, 100, 741])
})
