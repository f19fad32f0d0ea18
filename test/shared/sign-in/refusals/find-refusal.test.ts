import fc from 'fast-check'
import { expect, it } from 'vitest'
import { actorTypes } from '#shared/domain/actors/actor.ts'
import { providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import { findRefusal } from '#shared/sign-in/refusals/find-refusal.ts'
import { signInContexts } from '#shared/sign-in/sign-in-context.ts'

const admin = {
  is_disabled: false,
  type: 'account_admin_user',
  email: 'ada@example.com',
  allow_email_otp_sign_in: true,
  portal_scopes: null,
} as const
const everyone = { is_disabled: false, context: 'clients_and_portal', domains: null } as const
const within = (...domains: string[]) => ({ ...everyone, domains })
const fine = {
  account: { is_disabled: false },
  kind: 'email_otp',
  provider: everyone,
  actor: admin,
  context: 'portal',
  aboveUsersLimit: false,
} as const

it.each([
  ['an administrator, for the portal', {}, null],
  ['a user, for a client', { context: 'client', actor: { ...admin, type: 'account_user' } }, null],
  ['an administrator above the users limit, for the portal', { aboveUsersLimit: true }, null],
  [
    'an administrator above the users limit, for a client',
    { context: 'client', aboveUsersLimit: true },
    'above_users_limit',
  ],
  ['nobody of no account', { account: null }, 'account_disabled'],
  ['nobody of a disabled account', { account: { is_disabled: true } }, 'account_disabled'],
  ['nobody without provider', { provider: null }, 'provider_disabled'],
  ['nobody with a disabled provider', { provider: { ...everyone, is_disabled: true } }, 'provider_disabled'],
  [
    'nobody for the portal with one for clients',
    { provider: { ...everyone, context: 'clients_only' } },
    'provider_context',
  ],
  [
    'nobody for a client with one for the portal',
    { context: 'client', provider: { ...everyone, context: 'portal_only' } },
    'provider_context',
  ],
  ['somebody of a domain of the provider', { provider: within('example.net', 'example.com') }, null],
  ['nobody of another domain', { provider: within('example.net') }, 'email_domain_other'],
  ['nobody who is gone', { actor: null }, 'actor_unknown'],
  ['nobody who is disabled', { actor: { ...admin, is_disabled: true } }, 'actor_disabled'],
  ['no service account', { context: 'client', actor: { ...admin, type: 'service_account' } }, 'actor_type'],
  ['no API client', { actor: { ...admin, type: 'api_client' } }, 'actor_type'],
  ['no user for the portal', { actor: { ...admin, type: 'account_user' } }, 'actor_not_admin'],
  ['nobody who may not by passcode', { actor: { ...admin, allow_email_otp_sign_in: false } }, 'email_otp_not_allowed'],
  [
    'who may not by passcode, by another kind',
    { kind: 'oidc', actor: { ...admin, allow_email_otp_sign_in: false } },
    null,
  ],
] as const)('lets in %s (I2.4)', (_who, facts, refusal) => {
  expect(findRefusal({ ...fine, ...facts })).toBe(refusal)
})

it('admits exactly the persons of the contract, for any combination of facts', () => {
  const facts = fc.record({
    account: fc.option(fc.record({ is_disabled: fc.boolean() })),
    kind: fc.constantFrom(...providerKinds),
    provider: fc.option(
      fc.record({
        is_disabled: fc.boolean(),
        context: fc.constantFrom('clients_and_portal' as const, 'clients_only' as const, 'portal_only' as const),
        domains: fc.constantFrom<string[] | null>(null, ['example.com'], ['example.net']),
      }),
    ),
    actor: fc.option(
      fc.record({
        is_disabled: fc.boolean(),
        type: fc.constantFrom(...actorTypes),
        email: fc.constantFrom(null, 'ada@example.com'),
        allow_email_otp_sign_in: fc.boolean(),
        portal_scopes: fc.option(fc.constant<'*:read'[]>(['*:read'])),
      }),
    ),
    context: fc.constantFrom(...signInContexts),
    aboveUsersLimit: fc.boolean(),
  })
  fc.assert(
    fc.property(facts, (given) => {
      const { account, provider, actor, context, kind, aboveUsersLimit } = given
      const people = ['account_user', 'account_admin_user']
      const types = context === 'portal' && !actor?.portal_scopes ? ['account_admin_user'] : people
      const contexts = ['clients_and_portal', context === 'portal' ? 'portal_only' : 'clients_only']
      const may =
        account?.is_disabled === false &&
        provider?.is_disabled === false &&
        contexts.includes(provider.context) &&
        actor?.is_disabled === false &&
        types.includes(actor.type) &&
        (provider.domains === null || (actor.email !== null && provider.domains.includes('example.com'))) &&
        (kind !== 'email_otp' || actor.allow_email_otp_sign_in) &&
        !(context === 'client' && aboveUsersLimit)
      expect(findRefusal(given) === null).toBe(may)
    }),
  )
})
