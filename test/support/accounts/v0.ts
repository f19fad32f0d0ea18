import { randomInt, randomUUID } from 'node:crypto'
import { vi } from 'vitest'
import { handler as createDevice } from '#functions/v0/devices/create-v0-device.ts'
import { handler as createRule } from '#functions/v0/rules/create-v0-rule.ts'
import { handler as createUser } from '#functions/v0/users/create-v0-user.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { publicKey } from '../access/public-key.ts'
import { type Account, newAccount } from './account.ts'

type Fields = Record<string, unknown>

export const newEmail = () => `${randomUUID()}@example.net`

/** Returns a random IPv6 address, so that no two rules of a test share one. */
export function newV0Address(): string {
  const groups = Array.from({ length: 7 }, () => randomInt(1, 65_536).toString(16))
  return ['2001', ...groups].join(':')
}

/**
 * Creates an object and returns the `data` of the response.
 * @throws Error if the status is not 201
 */
async function createObject(account: Account, handler: Handler, path: string, sent: Fields) {
  const { status, body } = await account.call(handler, { method: 'POST', path, body: sent })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.data
}

export const newV0User = (account: Account, fields: Fields = {}) =>
  createObject(account, createUser, '/v0/users', { user: { email: newEmail(), ...fields } })

export async function newV0Device(account: Account, fields: Fields = {}) {
  const user_id = fields.user_id ?? (await newV0User(account)).id
  return createObject(account, createDevice, '/v0/devices', { device: { user_id, public_key: publicKey(), ...fields } })
}

/** Creates `count` legacy devices concurrently, in a network with about 250 addresses. */
export async function v0DevicesAtOnce(count: number) {
  vi.stubEnv('V0_IPV4_NETWORK', '100.64.0.0/24')
  vi.stubEnv('V0_DEVICES_PER_USER', String(count / 2))
  const account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
  const users = [await newV0User(account), await newV0User(account)]
  /** Retries after a 503 response, which reports contention with other requests. A request that receives 503 has changed nothing. */
  const until = async (device: Fields) => {
    for (;;) {
      const answer = await account.call(createDevice, { method: 'POST', path: '/v0/devices', body: { device } })
      if (answer.status === 201) return answer.body.data
      if (answer.status !== 503) throw new Error(JSON.stringify(answer.body))
    }
  }
  return Promise.all(
    Array.from({ length: count }, (_, i) => until({ user_id: users[i % 2].id, public_key: publicKey() })),
  )
}

export const newV0Rule = (account: Account, fields: Fields = {}) =>
  createObject(account, createRule, '/v0/rules', { rule: { destination: newV0Address(), ...fields } })
