import { randomUUID } from 'node:crypto'
import { createEmulator, type Emulator } from 'emulate'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type AuthProviderRow, callbackUri, type ProviderKind } from '#shared/domain/auth-providers/auth-provider.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { newPerson } from '#test/support/accounts/identities.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { walkForms } from '#test/support/sign-in/form-browser.ts'
import {
  beginSignIn,
  insertLocalProvider,
  redeemWith,
  redirectParams,
  returnFromProvider,
} from '#test/support/sign-in/sign-in.ts'

const secret = 'secret-of-the-app-at-the-provider'
let emulator: Emulator | undefined
afterEach(async () => {
  await emulator?.close()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

type Vendor = {
  service: 'google' | 'okta' | 'microsoft'
  kind: Exclude<ProviderKind, 'email_otp'>
  user?: object
  path?: string
  fields?: Partial<AuthProviderRow>
}

async function opinionOn({ service, kind, user, path = '', fields }: Vendor): Promise<unknown> {
  const account: Account = await newAccount()
  const email = String((await newPerson(account)).email)
  const id = randomUUID()
  const app = { suite: 'suite-app', tenant: 'tenant-app', oidc: 'app', idp: 'app' }[kind]
  const client = {
    client_id: app,
    client_secret: secret,
    name: 'App',
    redirect_uris: [callbackUri('http://127.0.0.1', kind, id)],
  }
  const users = [{ email, login: email, name: 'Grace', first_name: 'Grace', last_name: 'H', ...user }]
  emulator = await createEmulator({ service, port: 0, seed: { [service]: { users, oauth_clients: [client] } } })
  const base = emulator.url
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
  vi.stubEnv('SUITE_ISSUER', base)
  vi.stubEnv('IDP_API_URL', base)
  vi.stubEnv('TENANT_ISSUER', `${base}/{tenant_id}/v2.0`)
  vi.stubEnv('SUITE_CLIENT_SECRET', secret)
  vi.stubEnv('TENANT_CLIENT_SECRET', secret)
  const issuer = `${base}${path}`
  const connection = { issuer, documentUri: `${issuer}/.well-known/openid-configuration`, secret }
  const clientFields = (kind === 'oidc' || kind === 'idp') && { client_id: app }
  const provider = await insertLocalProvider(account.id, connection, kind, { ...clientFields, ...fields, id })
  const begun = await beginSignIn(provider.id, { slug: account.slug })
  if (begun.answer.status !== 201) return begun.answer.body.errors
  const home = await walkForms(begun.url, begun.home, (forms) => {
    const form = forms.find(({ html, fields }) => `${html}${Object.values(fields)}`.includes(email))
    return form ? { form } : null
  })
  const log = catchLog('WARN')
  const result = redirectParams(await returnFromProvider({ home }, new URL(home).search.slice(1)))
  const [line] = log.lines().filter(({ event }) => event === 'sign_in_refused')
  vi.mocked(process.stdout.write).mockRestore()
  if (result.code === undefined) return line?.reason
  const redeemed = await redeemWith({ code: result.code, code_verifier: begun.verifier })
  return redeemed.body.data?.actor.email === email ? 'signed in' : redeemed.text
}

describe('sign-in with independent emulators', () => {
  it('of a workspace suite', async () => {
    const user = { hd: 'example.com' }
    expect(await opinionOn({ service: 'google', kind: 'suite', user, fields: { hosted_domain: 'example.com' } })).toBe(
      'signed in',
    )
  })

  it('of a suite account of another company', async () => {
    const vendor = { service: 'google', kind: 'suite', fields: { hosted_domain: 'example.com' } } as const
    expect(await opinionOn({ ...vendor, user: { hd: 'other.example' } })).toBe('domain_other')
  })

  it('of an identity-provider service', async () => {
    expect(await opinionOn({ service: 'okta', kind: 'idp', fields: { idp_domain: 'company.idp.example' } })).toBe(
      'signed in',
    )
  })

  it('of a cloud directory', async () => {
    const tenant_id = '3b1f7c0e-5d2a-4f7e-9c55-0a1b2c3d4e5f'
    const fields = { email_claim: 'preferred_username' } as const
    const vendor = { service: 'microsoft', kind: 'tenant', path: `/${tenant_id}/v2.0`, fields } as const
    expect(await opinionOn({ ...vendor, user: { tenant_id } })).toBe('signed in')
    await emulator?.close()
    expect(await opinionOn({ ...vendor, user: { tenant_id: '9188040d-6c67-4c5b-b112-36a304b66dad' } })).not.toBe(
      'signed in',
    )
  })

  it('of personal accounts, whose tenant belongs to no company', async () => {
    const path = '/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0'
    expect(await opinionOn({ service: 'microsoft', kind: 'tenant', path })).toEqual({
      base: ['this provider kind is not configured'],
    })
  })
})
