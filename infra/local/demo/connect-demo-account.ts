import { StartupError } from '../files/fault.ts'
import { type DemoConnection, demoPeople } from './demo-directory.ts'

type Options = {
  baseUrl: string
  token: string
  issuer: string
  client: { client_id: string; client_secret: string }
  /** True if the client was just created, so that an existing provider row needs new credentials. */
  isNew: boolean
  connection: DemoConnection
}

type Row = { id: string }
type ProviderRow = Row & { discovery_document_uri: string; callback_uri: string }

const name = 'Demo company'

/** Creates the objects that people need to sign in to the demo account through the demo provider. Reuses existing objects. */
export async function connectDemoAccount({ baseUrl, token, issuer, client, isNew, connection }: Options) {
  async function request<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok)
      throw new StartupError(`The demo account could not be prepared: ${method} ${path} returned ${text}`)
    return JSON.parse(text).data
  }
  const findFirst = async <R extends Row>(path: string) => (await request<R[]>('GET', path))[0]

  async function ensureProvider(): Promise<ProviderRow> {
    const discovery_document_uri = `${issuer}/.well-known/openid-configuration`
    const existing = await findFirst<ProviderRow>(`/oidc_auth_providers?name=${encodeURIComponent(name)}`)
    if (existing?.discovery_document_uri === discovery_document_uri && !isNew) return existing
    const fields = { ...client, discovery_document_uri }
    if (existing) return request('PATCH', `/oidc_auth_providers/${existing.id}`, { oidc_auth_provider: fields })
    return request('POST', '/oidc_auth_providers', { oidc_auth_provider: { name, is_default: true, ...fields } })
  }

  /** Finds or creates the directory. A new directory is disabled, so that its people can be previewed before the first sync. */
  async function ensureDirectory(): Promise<string> {
    const existing = await findFirst(`/tenant_directories?name=${encodeURIComponent(name)}`)
    if (existing) return existing.id
    const fields = { name, ...connection, is_disabled: true }
    return (await request<Row>('POST', '/tenant_directories', { tenant_directory: fields })).id
  }

  const { callback_uri: callbackUri } = await ensureProvider()
  if (!(await findFirst('/email_otp_auth_providers'))) {
    await request('POST', '/email_otp_auth_providers', { email_otp_auth_provider: {} })
  }
  const { name: person, email } = demoPeople.user
  if (!(await findFirst(`/actors?email=${encodeURIComponent(email)}`))) {
    const actor = { name: person, email, type: 'account_user', allow_email_otp_sign_in: true }
    await request('POST', '/actors', { actor })
  }
  const { slug } = await request<{ slug: string }>('GET', '/account')
  return { slug, callbackUri, directoryId: await ensureDirectory() }
}
