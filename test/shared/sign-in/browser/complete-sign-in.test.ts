import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { type AuthProviderRow, authProviders } from '#shared/domain/auth-providers/auth-provider.ts'
import { startPlainProvider } from '#test/fakes/plain-provider.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { beginSignIn, redirectParams, returnFromProvider } from '#test/support/sign-in/sign-in.ts'
import { newSubject, type SignInWorld, signInWorld, stubProviders } from '#test/support/sign-in/sign-in-world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await signInWorld()
})
beforeEach(() => stubProviders(world.fake))
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
afterAll(() => world.fake.close())

const claimsOf = async () => ({ sub: newSubject(), email: await world.emailOf(), email_verified: true })

it('rejects a token for another app', async () => {
  const provider = await world.newProvider()
  const claims = await claimsOf()
  expect(await world.signInOutcome(provider, { ...claims, azp: 'another-app' })).toBe('id_token azp')
  expect(await world.signInOutcome(provider, { ...claims, azp: provider.client_id })).toBe('signed in')
})

it('sends no code to a provider other than the one the browser was redirected to', async () => {
  const other = await startPlainProvider()
  const provider: AuthProviderRow = await world.newProvider()
  const begun = await beginSignIn(provider.id, { slug: world.account.slug })
  await updateRow(world.account.id, authProviders.oidc, provider, {
    issuer: other.issuer,
    discovery_document_uri: other.documentUri,
  })
  const back = await returnFromProvider(begun, {
    state: begun.providerState,
    code: other.codeFor(begun.url, await claimsOf()),
  })
  expect(redirectParams(back)).toEqual({ state: begun.state, error: 'access_denied' })
  expect(other.requests).toEqual([])
  await other.close()
})
