import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { handler as getDevice } from '#functions/v0/devices/get-v0-device.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newV0Device } from '#test/support/accounts/v0.ts'

it('returns exactly the 25 keys of a device, including its preshared key', async () => {
  const account = await newAccount()
  const device = await newV0Device(account)
  const { status, headers, body } = await account.call(getDevice, { params: { id: device.id.toUpperCase() } })
  expect([status, body]).toEqual([200, { data: device }])
  expect(Object.keys(body.data)).toHaveLength(25)
  expect(headers.link).toBe('</clients>; rel="successor-version"')
})

it('returns 404 for an unknown id, or a device of another account', async () => {
  const account = await newAccount()
  const foreign = await newV0Device(await newAccount())
  for (const id of [randomUUID(), foreign.id, 'desk', '%00', '']) {
    const answer = await account.call(getDevice, { params: { id } })
    expect([answer.status, answer.body], id).toEqual([404, { error: 'not_found' }])
  }
})
