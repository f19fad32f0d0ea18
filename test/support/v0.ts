import { randomInt, randomUUID } from 'node:crypto'
import { handler as createDevice } from '#functions/v0/devices/create-v0-device.ts'
import { handler as createRule } from '#functions/v0/rules/create-v0-rule.ts'
import { handler as createUser } from '#functions/v0/users/create-v0-user.ts'
import type { Handler } from '#shared/http/lambda.ts'
import type { Account } from './account.ts'
import { publicKey } from './public-key.ts'

type Fields = Record<string, unknown>

export const newEmail = () => `${randomUUID()}@example.net`

/** An address that no other rule of a test is about. */
export function newV0Address(): string {
  const groups = Array.from({ length: 7 }, () => randomInt(1, 65_536).toString(16))
  return ['2001', ...groups].join(':')
}

/** What was created, as it was answered. */
async function created(account: Account, handler: Handler, path: string, sent: Fields) {
  const { status, body } = await account.call(handler, { method: 'POST', path, body: sent })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.data
}

/** A user of the legacy API. */
export const newV0User = (account: Account, fields: Fields = {}) =>
  created(account, createUser, '/v0/users', { user: { email: newEmail(), ...fields } })

/** A device of the legacy API; of a new user unless said otherwise. */
export async function newV0Device(account: Account, fields: Fields = {}) {
  const user_id = fields.user_id ?? (await newV0User(account)).id
  return created(account, createDevice, '/v0/devices', { device: { user_id, public_key: publicKey(), ...fields } })
}

/** A rule of the legacy API. */
export const newV0Rule = (account: Account, fields: Fields = {}) =>
  created(account, createRule, '/v0/rules', { rule: { destination: newV0Address(), ...fields } })
