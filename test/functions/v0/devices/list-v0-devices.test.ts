import { beforeAll, expect, it } from 'vitest'
import { handler as listDevices } from '#functions/v0/devices/list-v0-devices.ts'
import { newAccount } from '#test/support/account.ts'
import { newV0Device } from '#test/support/v0.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const list = (query: Record<string, string> = {}) => account.call(listDevices, { path: '/v0/devices', query })

it('is empty when there are none', async () => {
  const { status, body } = await list()
  expect([status, body]).toEqual([200, { data: [] }])
})

it('gives all in the order of insertion with their effective values, and pages on request', async () => {
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
