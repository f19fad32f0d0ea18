import { randomBytes, randomUUID } from 'node:crypto'
import { handler as createDevice } from '#functions/v0/devices/create-v0-device.ts'
import { handler as createUser } from '#functions/v0/users/create-v0-user.ts'
import type { newAccount } from './account.ts'

type Account = Awaited<ReturnType<typeof newAccount>>

export const newEmail = () => `${randomUUID()}@example.net`

/** A user of the legacy API, as it was answered. */
export async function newV0User(account: Account, fields: Record<string, unknown> = {}) {
  const { status, body } = await account.call(createUser, {
    method: 'POST',
    path: '/v0/users',
    body: { user: { email: newEmail(), ...fields } },
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.data
}

export const newV0Key = () => randomBytes(32).toString('base64')

/** A device of the legacy API, as it was answered; of a new user unless said otherwise. */
export async function newV0Device(account: Account, fields: Record<string, unknown> = {}) {
  const user_id = fields.user_id ?? (await newV0User(account)).id
  const { status, body } = await account.call(createDevice, {
    method: 'POST',
    path: '/v0/devices',
    body: { device: { user_id, public_key: newV0Key(), ...fields } },
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.data
}
