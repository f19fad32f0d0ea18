import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'

type Failure = { error?: { errors?: Record<string, string[]> } }

const crowd = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`key${i}`, i]))
const crowded = ['should have at most 1000 key(s)']
let account: Account
beforeAll(async () => {
  account = await newAccount()
})

const errorsOf = async (event: object) => ((await provision(event)) as Failure).error?.errors
const pool = (resource: object) => ({ operation: 'create_static_device_pool', account_id: account.id, resource })

it('refuses objects with too many keys at any depth', async () => {
  expect(await errorsOf(crowd)).toEqual({ base: crowded })
  const name = 'Example'
  expect(await errorsOf({ account: { name, ...crowd }, admin: crowd })).toEqual({
    base: crowded,
    'admin.base': crowded,
  })
  const admin = { name: 'Ada', email: 'ada@example.com' }
  expect(await errorsOf({ account: { name, limits: crowd, features: crowd }, admin })).toEqual({
    limits: crowded,
    features: crowded,
  })
})

it('checks the length of lists before their elements, and returns at most a hundred messages', async () => {
  const scopes = Array(101).fill('*')
  const token = {
    operation: 'create_api_token',
    token_in: 'answer',
    account_id: account.id,
    api_token: { expires_at: '2099-01-01T00:00:00Z', scopes },
  }
  expect(await errorsOf(token)).toEqual({ 'api_token.scopes': ['should have at most 100 item(s)'] })
  expect(await errorsOf(pool({ name: 'Pool', device_ids: Array(10_001).fill(0) }))).toEqual({
    device_ids: ['should have at most 10000 item(s)'],
  })
  const device_ids = Array.from({ length: 150 }, () => randomUUID())
  expect((await errorsOf(pool({ name: 'Pool', device_ids })))?.device_ids).toEqual(
    device_ids.slice(0, 100).map((id) => `${id} does not exist`),
  )
  const filters = Array(100).fill({ protocol: 'x', ports: ['x'] })
  const errors = await errorsOf(pool({ name: 'Pool', filters }))
  expect(Object.keys(errors ?? {})).toHaveLength(100)
})
