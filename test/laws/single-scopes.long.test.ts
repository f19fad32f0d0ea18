import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as sendPasscode } from '#functions/sign-in/passcodes/send-passcode.ts'
import { handler as verifyPasscode } from '#functions/sign-in/passcodes/verify-passcode.ts'
import { collections } from '#shared/core/permission.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import type { AuthProviderRow } from '#shared/domain/auth-providers/auth-provider.ts'
import { Pace } from '#shared/sync/runs/apply-plan.ts'
import { getRow, rowsBy } from '#shared/table/read.ts'
import { type PlainProvider, startPlainProvider } from '#test/fakes/plain-provider.ts'
import { type Account, call, newAccount } from '#test/support/accounts/account.ts'
import { person } from '#test/support/accounts/actors.ts'
import { apiTokensApi, inAnHour, newApiClient, withScopes } from '#test/support/accounts/api-tokens.ts'
import { providers } from '#test/support/accounts/auth-providers.ts'
import { actorsApi } from '#test/support/accounts/collections.ts'
import { insertProvider } from '#test/support/accounts/portal-sessions.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'
import { catchMails, passcodeIn, useCheapHashes } from '#test/support/sign-in/mails.ts'
import { beginSignIn, insertLocalProvider, newSource, signInBy } from '#test/support/sign-in/sign-in.ts'
import { directoriesApi, runsApi } from '#test/support/sync/directories.ts'
import { newSyncWorld } from '#test/support/sync/sync-runs.ts'

/**
 * Laws of single scopes: an attacker with one scope must find no way to become an administrator (A3.3). The attacker also has a provider, a
 * company account with an unverified address, a mailbox, and a disabled API client's token.
 */

const scopes = ['*:read', ...collections.flatMap((name) => [`${name}:read`, `${name}:write`])]

let company: PlainProvider
let ownProvider: PlainProvider
beforeAll(async () => {
  useCheapHashes()
  company = await startPlainProvider()
  ownProvider = await startPlainProvider()
})
beforeEach(() => {
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
  vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
afterAll(() => Promise.all([company.close(), ownProvider.close()]))

/**
 * Creates an account with administrators, a portal provider, a directory that no longer contains one of the administrators, and a disabled
 * client.
 */
async function newTarget(scope: string) {
  const account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
  const portal = await insertLocalProvider(account.id, company)
  await insertProvider(account.id, 'email_otp')
  const user = await insertActor(account.id, { type: 'account_user', email: `${randomUUID()}@example.com` })
  const former = await insertActor(account.id, {
    type: 'account_admin_user',
    email: `${randomUUID()}@example.com`,
    is_disabled: true,
    allow_email_otp_sign_in: true,
  })
  const auditor = await insertActor(account.id, {
    type: 'account_user',
    email: `${randomUUID()}@example.com`,
    portal_scopes: ['*:read'],
    is_disabled: true,
    allow_email_otp_sign_in: true,
  })
  const client = await newApiClient(account)
  const stolen = (await apiTokensApi.create(account, client, { expires_at: inAnHour(), scopes: ['*'] })).body.data.token
  await actorsApi.update(account, client, { is_disabled: true })

  const directory = await newSyncWorld('idp', account)
  const others = [1, 2, 3].map((i) => ({ id: `o${i}`, email: `o${i}@example.com` }))
  directory.company.issuer = company.issuer
  directory.company.users = [...others, { id: 'eve', email: 'eve@example.com' }]
  await directory.run()
  const eve = (await directory.state()).actors.find(({ email }) => email === 'eve@example.com')
  if (!eve) throw new Error('The directory has made nobody.')
  await updateRow(account.id, actors, eve, { type: 'account_admin_user' })
  directory.company.users = others
  const lost = await directory.run()
  const narrow = await withScopes(account, scope)
  return { account, narrow, portal, user, former, auditor, client, stolen, directory, lost }
}

type Target = Awaited<ReturnType<typeof newTarget>>

/** Signs in with a provider. Returns a list with the portal session's token, or an empty list if the sign-in fails. */
async function signIn(
  fake: PlainProvider,
  provider: Pick<AuthProviderRow, 'id'> | undefined,
  { slug }: Account,
  claims: object,
  context = 'portal',
): Promise<string[]> {
  if (!provider) return []
  const fields = { context }
  if ((await beginSignIn(provider.id, { slug, fields })).url === '') return []
  const { redeemed } = await signInBy(fake, provider, slug, { ...claims }, { fields })
  const token: string = redeemed?.body?.data?.token ?? ''
  return token.startsWith('nap_') ? [token] : []
}

/** Signs in with a passcode sent by email. Returns a list with the portal session's token, or an empty list if the sign-in fails. */
async function signInByMail({ slug }: Account, email: string): Promise<string[]> {
  const mails = await catchMails()
  const post = (handler: typeof sendPasscode, sign_in: object) =>
    call(handler, { method: 'POST', params: { slug }, body: { sign_in }, sourceIp: newSource() })
  await post(sendPasscode, { email, context: 'portal' })
  await mails.settled()
  const passcode = passcodeIn(mails.mails.find(({ to }) => to === email))
  await mails.stop()
  if (passcode === '') return []
  const { body } = await post(verifyPasscode, { email, passcode, context: 'portal' })
  return body?.data?.token ? [body.data.token] : []
}

/** Ways to attempt to obtain a portal session. Each function returns the tokens that it obtained. */
const ways: Record<string, (target: Target) => Promise<string[]>> = {
  async 'an administrator of one’s own'({ account, narrow }) {
    const email = `own-${randomUUID()}@example.org`
    await actorsApi.create(narrow, person({ type: 'account_admin_user', email, allow_email_otp_sign_in: true }))
    return signInByMail(account, email)
  },
  async 'the address and promotion of somebody else'({ account, narrow, user }) {
    const email = `mallory-${randomUUID()}@example.org`
    await actorsApi.update(narrow, user.id, { email, allow_email_otp_sign_in: true })
    await actorsApi.update(narrow, user.id, { type: 'account_admin_user' })
    return signInByMail(account, email)
  },
  async 'the address of an administrator'({ account, narrow }) {
    const email = `moved-${randomUUID()}@example.org`
    await actorsApi.update(narrow, account.admin.id, { email, allow_email_otp_sign_in: true })
    return signInByMail(account, email)
  },
  async 'an administrator who was disabled'({ account, narrow, former }) {
    await actorsApi.update(narrow, former.id, { is_disabled: false })
    return signInByMail(account, String(former.email))
  },
  async 'the portal scopes of somebody else'({ account, narrow, user }) {
    const email = `reader-${randomUUID()}@example.org`
    await actorsApi.update(narrow, user.id, { email, allow_email_otp_sign_in: true })
    await actorsApi.update(narrow, user.id, { portal_scopes: ['*:read'] })
    return signInByMail(account, email)
  },
  async 'a read-only person of one’s own'({ account, narrow }) {
    const email = `own-reader-${randomUUID()}@example.org`
    await actorsApi.create(narrow, person({ email, allow_email_otp_sign_in: true, portal_scopes: ['*:read'] }))
    return signInByMail(account, email)
  },
  async 'a read-only person who was disabled, and the address'({ account, narrow, auditor }) {
    const email = `audit-${randomUUID()}@example.org`
    await actorsApi.update(narrow, auditor.id, { is_disabled: false })
    await actorsApi.update(narrow, auditor.id, { email })
    return [...(await signInByMail(account, email)), ...(await signInByMail(account, String(auditor.email)))]
  },
  async 'a provider of one’s own'({ account, narrow }) {
    const made = await providers.oidc.create(narrow, {
      discovery_document_uri: ownProvider.documentUri,
      client_secret: ownProvider.secret,
      email_verification_method: 'none',
    })
    return signIn(ownProvider, made.body.data, account, { sub: 'mallory', email: account.admin.email })
  },
  async 'a provider of clients that is opened later'({ account, narrow }) {
    const made = await providers.oidc.create(narrow, {
      discovery_document_uri: ownProvider.documentUri,
      client_secret: ownProvider.secret,
      email_verification_method: 'none',
      context: 'clients_only',
    })
    if (made.body.data) await providers.oidc.update(narrow, made.body.data.id, { context: 'portal_only' })
    return signIn(ownProvider, made.body.data, account, { sub: 'mallory', email: account.admin.email })
  },
  async 'a link of clients at the provider of the portal'({ account, narrow, portal }) {
    const made = await providers.oidc.create(narrow, {
      discovery_document_uri: company.documentUri,
      client_secret: company.secret,
      email_verification_method: 'none',
      context: 'clients_only',
    })
    const claims = { sub: 'mallory', email: account.admin.email, email_verified: false }
    await signIn(company, made.body.data, account, claims, 'client')
    return signIn(company, portal, account, claims)
  },
  async 'what the provider of the portal accepts'({ account, narrow, portal }) {
    await providers.oidc.update(narrow, portal.id, { email_verification_method: 'none' })
    return signIn(company, portal, account, { sub: 'mallory-2', email: account.admin.email })
  },
  async 'a directory of one’s own'({ account, narrow, portal }) {
    if ((await directoriesApi.idp.create(narrow)).status !== 201) return []
    const world = await newSyncWorld('idp', narrow)
    world.company.issuer = company.issuer
    world.company.users = [{ id: 'mallory-3', email: account.admin.email }]
    await world.run()
    return signIn(company, portal, account, { sub: 'mallory-3' })
  },
  async 'the source of a directory that matches administrators'({ account, narrow, portal, directory }) {
    const { status } = await directoriesApi.idp.update(narrow, directory.id, { idp_domain: 'mallory.example.org' })
    if (status !== 200) return []
    directory.company.users = [...directory.company.users, { id: 'mallory-4', email: account.admin.email }]
    await directory.run()
    return signIn(company, portal, account, { sub: 'mallory-4' })
  },
  async 'a rewind'({ account, narrow, portal, directory, lost }) {
    if ((await runsApi.idp.rewind(narrow, directory.id, lost.id)).status !== 202) return []
    await directory.step()
    return signIn(company, portal, account, { sub: 'eve' })
  },
}

/** Attempts to obtain API tokens with more scopes, and returns those that it obtained. */
async function widerTokens({ account, narrow, client, stolen }: Target): Promise<string[]> {
  const minted = await Promise.all(
    [account.apiClient.id, client].flatMap((id) =>
      [{}, { scopes: ['*'] }, { scopes: ['*:read', 'sites:write'] }].map((fields) =>
        apiTokensApi.create(narrow, id, { expires_at: inAnHour(), ...fields }),
      ),
    ),
  )
  await actorsApi.update(narrow, client, { is_disabled: false })
  const { status } = await call(getAccount, { token: stolen })
  return [
    ...minted.filter((answer) => answer.status === 201).map(({ text }) => text),
    ...(status === 200 ? ['stolen'] : []),
  ]
}

const administrators = async ({ account }: Target) =>
  (await rowsBy(actors, account.id, 'type', 'account_admin_user'))
    .map(({ id, email, is_disabled, allow_email_otp_sign_in, portal_scopes }) => {
      return { id, email, is_disabled, allow_email_otp_sign_in, portal_scopes }
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))

it.each(scopes)('%s alone results in no administrator’s session and no wider token', async (scope) => {
  const target = await newTarget(scope)
  const before = await administrators(target)
  const gained: string[] = []
  for (const [name, way] of Object.entries(ways)) if ((await way(target)).length > 0) gained.push(name)
  expect([gained, await widerTokens(target)]).toEqual([[], []])
  expect(await administrators(target)).toEqual(before)
  expect(await getRow(actors, target.account.id, target.account.admin.id)).toMatchObject({ is_disabled: false })
})

const open = Object.keys(ways).filter((name) => name !== 'a link of clients at the provider of the portal')
it.each(open)('%s results in it with the scope *', async (name) => {
  expect(await ways[name]?.(await newTarget('*'))).toHaveLength(1)
})

it('results in wider tokens with the scope *', async () => {
  expect(await widerTokens(await newTarget('*'))).toHaveLength(7)
})
