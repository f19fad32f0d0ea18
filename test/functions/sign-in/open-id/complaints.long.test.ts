import { expect, it } from 'vitest'
import { handler as listActors } from '#functions/api/actors/list-actors.ts'
import { beginSignIn, redirectParams, returnFromProvider } from '#test/support/sign-in/sign-in.ts'
import { newSubject, signInWorld, tenant, useProviderForEveryKind } from '#test/support/sign-in/sign-in-world.ts'

// Covers sign-in problems that users of similar services have reported (docs/contract/identity-wire.md).

const world = await signInWorld()
const { fake } = world
useProviderForEveryKind(fake)

it('complaint 10, #13137, #13164: an address that the provider has not verified links no person', async () => {
  const provider = await world.newProvider('idp', { idp_domain: 'company.idp.example' })
  const email = await world.emailOf()
  for (const claims of [{ email }, { email, email_verified: false }, { email, email_verified: 'false' }]) {
    expect(await world.signInOutcome(provider, { sub: newSubject(), ...claims })).toBe(
      'email_not_verified email_verified',
    )
  }
  expect(await world.signInOutcome(provider, { sub: newSubject(), email, email_verified: true })).toBe('signed in')
})

it("complaint 10, #757, #1684: a tenant's token without an address is refused, but accepted for a linked person", async () => {
  const provider = await world.newProvider('tenant')
  const claims = { sub: newSubject(), oid: newSubject(), tid: tenant }
  expect(await world.signInOutcome(provider, claims)).toBe('email_missing upn')
  expect(await world.signInOutcome(provider, { ...claims, upn: await world.emailOf() })).toBe('signed in')
  expect(await world.signInOutcome(provider, claims)).toBe('signed in')
})

it('complaint 10, #13246: a late or repeated callback redirects nowhere and has no effect', async () => {
  const provider = await world.newProvider()
  const begun = await beginSignIn(provider.id, { slug: world.account.slug })
  const code = fake.codeFor(begun.url, { sub: newSubject(), email: await world.emailOf(), email_verified: true })
  expect(redirectParams(await returnFromProvider(begun, { state: begun.providerState, code }))).toMatchObject({
    code: expect.any(String),
  })
  const again = await returnFromProvider(begun, { state: begun.providerState, code })
  expect([again.status, again.body.code, again.headers.location]).toEqual([400, 'bad_request', undefined])
})

it('Tailscale #10383: a person without an assignment is refused, whatever the provider decides', async () => {
  const provider = await world.newProvider('tenant')
  const upn = 'unassigned@example.com'
  const claims = { sub: newSubject(), oid: newSubject(), tid: tenant, upn }
  expect(await world.signInOutcome(provider, claims)).toBe('actor_unknown')
  const { body } = await world.account.call(listActors, { query: { email: upn } })
  expect(body.data).toEqual([])
})
