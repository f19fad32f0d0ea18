import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { authenticate } from '#shared/auth/authenticate.ts'
import { clock } from '#shared/core/clock.ts'
import { env } from '#shared/core/env.ts'
import { ApiError } from '#shared/core/errors.ts'
import { type AccountRow, accounts, serviceUniqueKey } from '#shared/domain/accounts/account.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import type { LocalCode } from '#shared/sign-in/browser/local-code.ts'
import { mintOneTimeToken, oneTimeItem } from '#shared/sign-in/one-time-token.ts'
import { challengeOf } from '#shared/sign-in/providers/pending-sign-in.ts'
import { putItem } from '#shared/table/put-item.ts'
import { getItem, getRow, rowsBy } from '#shared/table/read.ts'
import { readJson, writeAtomically } from '../files/data-dir.ts'
import { StartupError } from '../files/fault.ts'

type Service = { dir: { path: string }; runTask(name: 'provision-account', event: unknown): Promise<unknown> }

type Credentials = { base_url: string; account_id: string; api_token: string }

/**
 * Demo account, or the reason why it is unusable. `previousCredentials` is the file with the credentials of the account that was replaced.
 */
export type DemoAccount = { usable: true; previousCredentials?: string } | { usable: false; reason: string }

export const credentialsFile = (dir: string): string => join(dir, 'credentials.json')

/** File with the demo account's slug. It is written before the account is created, so that a crash leaves no orphaned account. */
const slugFile = (dir: string): string => join(dir, 'demo-account.json')

type ProvisioningResult = { data?: { account?: { id: string }; api_token: { token: string } }; error?: unknown }

const findAccountBySlug = async (slug: string): Promise<string | undefined> =>
  (await getItem<{ account_id: string }>(serviceUniqueKey('slug', slug)))?.account_id

function storeCredentials({ dir }: Service, credentials: Credentials): DemoAccount {
  writeAtomically(credentialsFile(dir.path), `${JSON.stringify(credentials, null, 2)}\n`)
  return { usable: true }
}

async function provision(service: Service, event: object): Promise<NonNullable<ProvisioningResult['data']>> {
  const { data, error } = (await service.runTask('provision-account', {
    ...event,
    token_in: 'answer',
  })) as ProvisioningResult
  if (!data) throw new StartupError(`The demo account could not be provisioned: ${JSON.stringify(error)}`)
  return data
}

async function create(service: Service, baseUrl: string, slug: string): Promise<DemoAccount> {
  writeAtomically(slugFile(service.dir.path), JSON.stringify({ slug }))
  const admin = { name: 'Admin', email: 'admin@example.com' }
  const event = { operation: 'create_account', account: { name: 'Demo', slug }, admin }
  const { account, api_token } = await provision(service, event)
  return storeCredentials(service, { base_url: baseUrl, account_id: account?.id ?? '', api_token: api_token.token })
}

async function freeSlug(): Promise<string> {
  for (let i = 1; ; i++) {
    const slug = i === 1 ? 'demo' : `demo-${i}`
    if (!(await findAccountBySlug(slug))) return slug
  }
}

/** True for a valid API token. Authenticates without HTTP, so that no entry is added to the request log. */
async function isAccepted(token: string): Promise<boolean> {
  try {
    await authenticate('api', `Bearer ${token}`)
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthorized') return false
    throw error
  }
}

/**
 * Creates a token for a demo account whose token has expired or was never stored. Returns the reason if the account is deleted or disabled.
 */
async function renew(service: Service, baseUrl: string, accountId: string): Promise<DemoAccount> {
  const account = await getRow(accounts, accountId, accountId)
  if (!account) return { usable: false, reason: `its account ${accountId} no longer exists` }
  if (account.is_disabled) return { usable: false, reason: describeClosing(account) }
  const expires_at = new Date(Date.now() + 90 * 86_400_000).toISOString()
  const event = { operation: 'create_api_token', account_id: accountId, api_token: { name: 'Demo', expires_at } }
  const { api_token } = await provision(service, event)
  return storeCredentials(service, { base_url: baseUrl, account_id: accountId, api_token: api_token.token })
}

const describeClosing = ({ id, delete_at, disabled_reason }: AccountRow): string =>
  delete_at === null
    ? `its account ${id} is disabled (${disabled_reason ?? 'no reason given'})`
    : `its account ${id} is disabled and will be deleted at ${delete_at}`

function copyCredentials(dir: string): string | undefined {
  const credentials = readJson<Credentials>(credentialsFile(dir))
  if (!credentials?.api_token) return undefined
  const copy = join(
    dir,
    `credentials-${readJson<{ slug: string }>(slugFile(dir))?.slug ?? credentials.account_id}.json`,
  )
  writeAtomically(copy, `${JSON.stringify(credentials, null, 2)}\n`)
  return copy
}

/** Finds the data directory's demo account, or creates it at the first start. `makeNew` replaces an existing account. */
export async function demoAccount(service: Service, baseUrl: string, makeNew: boolean): Promise<DemoAccount> {
  if (makeNew) {
    const previousCredentials = copyCredentials(service.dir.path)
    return {
      ...(await create(service, baseUrl, await freeSlug())),
      ...(previousCredentials && { previousCredentials: previousCredentials }),
    }
  }
  const credentials = readJson<Credentials>(credentialsFile(service.dir.path))
  if (credentials?.account_id && credentials.api_token) {
    if (!(await isAccepted(credentials.api_token))) return renew(service, baseUrl, credentials.account_id)
    return credentials.base_url === baseUrl
      ? { usable: true }
      : storeCredentials(service, { ...credentials, base_url: baseUrl })
  }
  const storedSlug = readJson<{ slug: string }>(slugFile(service.dir.path))?.slug
  const slug = storedSlug ?? 'demo'
  const accountId = await findAccountBySlug(slug)
  if (!accountId) return create(service, baseUrl, slug)
  if (storedSlug) return renew(service, baseUrl, accountId)
  const reason = `the slug "${slug}" belongs to the account ${accountId}, which was not created by this command`
  return { usable: false, reason: reason }
}

const codeMicros = 15 * 60_000_000

/**
 * Creates a one-time sign-in to the console as the demo account's administrator, and returns its address (K2.7). The browser does not send
 * the fragment to the server. Returns null without a console or without an enabled administrator.
 */
export async function consoleAddress(dir: string, baseUrl: string): Promise<string | null> {
  const accountId = readJson<{ account_id: string }>(credentialsFile(dir))?.account_id
  const account = accountId ? await getRow(accounts, accountId, accountId) : null
  if (!env.console || !account) return null
  const admins = await rowsBy(actors, account.id, 'type', 'account_admin_user')
  const [admin] = admins.filter(({ is_disabled }) => !is_disabled).sort((a, b) => (a.id < b.id ? -1 : 1))
  if (!admin) return null
  const verifier = randomBytes(32).toString('base64url')
  const { text: code, key } = mintOneTimeToken(account.id, 'local')
  const content: LocalCode = { actor_id: admin.id, code_challenge: challengeOf(verifier) }
  await putItem(oneTimeItem(key, clock.now() + codeMicros, content))
  return `${baseUrl}/console/${account.slug}#${new URLSearchParams({ code, verifier })}`
}
