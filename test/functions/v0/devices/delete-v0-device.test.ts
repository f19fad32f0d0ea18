import { expect, it } from 'vitest'
import { handler as deleteDevice } from '#functions/v0/devices/delete-v0-device.ts'
import { handler as getDevice } from '#functions/v0/devices/get-v0-device.ts'
import { handler as listDevices } from '#functions/v0/devices/list-v0-devices.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newV0Device } from '#test/support/accounts/v0.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

it('deletes a device, then returns 404', async () => {
  const account = await newAccount()
  const { id, name } = await newV0Device(account)
  const { status, text, headers } = await account.call(deleteDevice, { method: 'DELETE', params: { id } })
  expect([status, text, headers['content-type']]).toEqual([204, '', 'application/json; charset=utf-8'])
  for (const handler of [deleteDevice, getDevice]) {
    const answer = await account.call(handler, { params: { id } })
    expect([answer.status, answer.body]).toEqual([404, { error: 'not_found' }])
  }
  expect((await account.call(listDevices)).body).toEqual({ data: [] })
  expect((await readCommits(account.id)).at(-1)?.changes).toMatchObject([
    { object: 'v0_devices', operation: 'delete', before: { id, name, preshared_key: '[redacted]' }, after: null },
  ])
})
