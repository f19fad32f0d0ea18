import { Fault } from '../fault.ts'
import { demoPeople, type Person } from './people.ts'

type Options = {
  baseUrl: string
  /** Of the demo account; all of this is done as its owner would do it, and is in its log. */
  token: string
  issuer: string
  client: { client_id: string; client_secret: string }
}

type Row = { id: string; discovery_document_uri?: string }

const name = 'Demo company'

/** Lets people of the provider sign in to the demo account. Whatever is there already stays as it is. */
export async function connectDemoAccount({ baseUrl, token, issuer, client }: Options): Promise<{ slug: string }> {
  async function ask<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Fault(`The demo account could not be prepared: ${method} ${path} answered ${text}`)
    return JSON.parse(text).data
  }
  const first = async (path: string) => (await ask<Row[]>('GET', path))[0]

  async function letSignIn({ name, email }: Person): Promise<void> {
    if (await first(`/actors?email=${encodeURIComponent(email)}`)) return
    const actor = { name, email, type: 'account_user', allow_email_otp_sign_in: true }
    await ask('POST', '/actors', { actor })
  }

  async function pointToProvider(): Promise<void> {
    const discovery_document_uri = `${issuer}/.well-known/openid-configuration`
    const known = await first(`/oidc_auth_providers?name=${encodeURIComponent(name)}`)
    if (known?.discovery_document_uri === discovery_document_uri) return
    const fields = { ...client, discovery_document_uri }
    if (known) await ask('PATCH', `/oidc_auth_providers/${known.id}`, { oidc_auth_provider: fields })
    else await ask('POST', '/oidc_auth_providers', { oidc_auth_provider: { name, is_default: true, ...fields } })
  }

  await pointToProvider()
  if (!(await first('/email_otp_auth_providers'))) {
    await ask('POST', '/email_otp_auth_providers', { email_otp_auth_provider: {} })
  }
  await letSignIn(demoPeople.user)
  return ask('GET', '/account')
}
