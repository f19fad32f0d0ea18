import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ProviderKind } from '#shared/domain/auth-providers/auth-provider.ts'
import { startPlainProvider } from '#test/fakes/plain-provider.ts'
import { beginSignIn, redeemWith, redirectParams, returnFromProvider } from '#test/support/sign-in/sign-in.ts'
import {
  newSubject,
  signInWorld,
  stubProviders,
  tenant,
  useProviderForEveryKind,
} from '#test/support/sign-in/sign-in-world.ts'

const world = await signInWorld()
const { fake } = world
useProviderForEveryKind(fake)
beforeEach(() => {
  vi.stubEnv('LOG_LEVEL', 'ERROR')
})

const promptOf = (url: string): string | null => new URL(url).searchParams.get('prompt')
const another = { prompt: 'select_account' }

describe('a sign-in with another account', () => {
  it.each<[ProviderKind, unknown, string | null]>([
    ['oidc', undefined, 'select_account'],
    ['oidc', ['none', 'login', 'consent', 'select_account'], 'select_account'],
    ['oidc', ['none', 'login', 'consent'], 'login'],
    ['oidc', ['none', 'consent'], null],
    ['oidc', [], null],
    ['oidc', 'select_account', 'select_account'],
    ['suite', undefined, 'select_account'],
    ['tenant', undefined, 'select_account'],
    ['idp', undefined, 'login'],
    ['idp', ['select_account'], 'select_account'],
  ])('of kind %s, whose document lists %j, requests the prompt %j', async (kind, prompt_values_supported, expected) => {
    const ownProvider = await startPlainProvider({ path: `/${tenant}/v2.0` })
    stubProviders(ownProvider)
    ownProvider.misbehave('discovery', (answer) =>
      ownProvider.send(answer, 200, { ...ownProvider.document(), prompt_values_supported }),
    )
    const { account, newProvider: behind } = await signInWorld({ fake: ownProvider })
    const provider = await behind(kind)
    const { url } = await beginSignIn(provider.id, { slug: account.slug, fields: another })
    expect(promptOf(url)).toBe(expected)
    const usual = await beginSignIn(provider.id, { slug: account.slug })
    expect(promptOf(usual.url)).toBeNull()
    await ownProvider.close()
  })

  it.each(['login', 'none', '', null])('refuses the prompt %j', async (prompt) => {
    const provider = await world.newProvider()
    const { answer } = await beginSignIn(provider.id, { slug: world.account.slug, fields: { prompt } })
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['prompt']])
  })

  it.each(['invalid_request', 'account_selection_required'])(
    'continues with a login at a provider without account selection (%s)',
    async (error) => {
      const provider = await world.newProvider()
      const begun = await beginSignIn(provider.id, { slug: world.account.slug, fields: another })
      const redirected = await returnFromProvider(begun, { state: begun.providerState, error })
      const url = redirected.headers.location ?? ''
      expect([redirected.status, promptOf(url)]).toEqual([303, 'login'])
      const { origin, pathname, searchParams } = new URL(url)
      expect(origin + pathname).toBe(`${fake.base}/${tenant}/v2.0/authorize`)
      const state = searchParams.get('state') ?? ''
      expect(state).not.toBe(begun.providerState)
      const claims = { sub: newSubject(), email: await world.emailOf(), email_verified: true }
      const back = redirectParams(await returnFromProvider(begun, { state, code: fake.codeFor(url, claims) }))
      expect(back.state).toBe(begun.state)
      expect((await redeemWith({ code: back.code, code_verifier: begun.verifier })).status).toBe(201)
    },
  )

  it('does so once, and not for a sign-in without a prompt', async () => {
    const provider = await world.newProvider()
    const begun = await beginSignIn(provider.id, { slug: world.account.slug, fields: another })
    const redirected = await returnFromProvider(begun, { state: begun.providerState, error: 'invalid_request' })
    const state = new URL(redirected.headers.location ?? '').searchParams.get('state') ?? ''
    const usual = await beginSignIn(provider.id, { slug: world.account.slug })
    for (const [at, ownProvider] of [
      [begun, state],
      [usual, usual.providerState],
    ] as const) {
      const result = redirectParams(await returnFromProvider(at, { state: ownProvider, error: 'invalid_request' }))
      expect(result).toEqual({ state: at.state, error: 'server_error' })
    }
  })
})
