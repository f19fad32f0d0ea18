import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { type AuthProviderRow, authProviders } from '#shared/domain/auth-providers/auth-provider.ts'
import { startPlainProvider } from '#test/fakes/plain-provider.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { beginSignIn, comeBack, ledTo } from '#test/support/sign-in/sign-in.ts'
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

it('signs nobody in by a token that was made for another app', async () => {
  const provider = await world.behind()
  const claims = await claimsOf()
  expect(await world.outcomeOf(provider, { ...claims, azp: 'another-app' })).toBe('id_token azp')
  expect(await world.outcomeOf(provider, { ...claims, azp: provider.client_id })).toBe('signed in')
})

it('takes no code to a provider that the browser was not led to', async () => {
  const other = await startPlainProvider()
  const provider: AuthProviderRow = await world.behind()
  const begun = await beginSignIn(provider.id, { slug: world.account.slug })
  await updateRow(world.account.id, authProviders.oidc, provider, {
    issuer: other.issuer,
    discovery_document_uri: other.documentUri,
  })
  const back = await comeBack(begun, { state: begun.own, code: other.codeFor(begun.url, await claimsOf()) })
  expect(ledTo(back)).toEqual({ state: begun.state, error: 'access_denied' })
  expect(other.asked).toEqual([])
  await other.close()
})
