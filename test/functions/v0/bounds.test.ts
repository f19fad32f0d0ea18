import { beforeAll, expect, it } from 'vitest'
import { handler as updateConfiguration } from '#functions/v0/configuration/update-v0-configuration.ts'
import { handler as createDevice } from '#functions/v0/devices/create-v0-device.ts'
import { handler as createRule } from '#functions/v0/rules/create-v0-rule.ts'
import { handler as createUser } from '#functions/v0/users/create-v0-user.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { newEmail, newV0Address } from '#test/support/accounts/v0.ts'
import { samlProvider } from '#test/support/accounts/v0-providers.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const keys = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`key${i}`, i]))
const crowded = 'should have at most 1000 key(s)'
const post = (handler: typeof createUser, rawBody: string) => account.call(handler, { method: 'POST', rawBody })
const configure = (configuration: unknown) =>
  account.call(updateConfiguration, { method: 'PATCH', path: '/v0/configuration', body: { configuration } })

it('treats a deeply nested value like any value of a wrong type', async () => {
  const user = await post(createUser, `{"user":{"email":${deep(10_000)}}}`)
  expect([user.status, user.body]).toEqual([422, { errors: { email: ['is invalid'] } }])
  const destination = newV0Address()
  const rule = await post(createRule, `{"rule":{"destination":"${destination}","port_range":${deep(10_000)}}}`)
  expect([rule.status, rule.body]).toEqual([422, { errors: { port_range: ['is invalid'] } }])
})

it('ignores unknown keys at any depth', async () => {
  const { status } = await post(
    createUser,
    `{"user":{"email":"${newEmail()}","x":${deep(10_000)}},"y":${deep(10_000)}}`,
  )
  expect(status).toBe(201)
})

it('detects malformed JSON at any depth', async () => {
  const { status, body } = await post(createUser, `{"user":{"email":"${newEmail()}","x":${deep(10_000)}]}}`)
  expect([status, body]).toEqual([400, { error: 'bad_request' }])
})

it('refuses objects with too many keys', async () => {
  const user = await account.call(createUser, { method: 'POST', body: { user: { email: newEmail(), ...keys } } })
  expect([user.status, user.body]).toEqual([422, { errors: { base: [crowded] } }])
  const { body } = await configure({ logo: keys, saml_identity_providers: [samlProvider(), { ...keys }] })
  expect(body).toEqual({ errors: { logo: [crowded], saml_identity_providers: [{}, { base: [crowded] }] } })
})

it('checks the length of a list before its items', async () => {
  const { body } = await configure({
    default_client_dns: Array(2_049).fill(0),
    openid_connect_providers: Array(21).fill('x'),
  })
  expect(body.errors).toEqual({
    default_client_dns: ['should have at most 2048 item(s)'],
    openid_connect_providers: ['should have at most 20 item(s)'],
  })
})

it('returns at most a hundred messages, those of providers at their index', async () => {
  const { body } = await configure({
    vpn_session_duration: -1,
    openid_connect_providers: Array(10).fill({}),
    saml_identity_providers: Array(20).fill({}),
  })
  const { openid_connect_providers: first, saml_identity_providers: second, ...own } = body.errors
  const messages = [...first, ...second].flatMap((item) => Object.values(item).flat())
  expect(own).toEqual({ vpn_session_duration: ['must be greater than or equal to 0'] })
  expect([first.length, second.length, messages.length]).toEqual([10, 20, 99])
})

it('shortens refused values to 255 characters', async () => {
  const long = 'x y'.repeat(1_000)
  const device = { user_id: 'x', dns: long }
  const { body } = await account.call(createDevice, { method: 'POST', body: { device } })
  expect(body.errors.dns).toEqual([`${long.slice(0, 254)}… is not a valid FQDN`])
})
