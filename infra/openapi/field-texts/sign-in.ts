import { id, integer, type Texts } from './text.ts'

/** Providers of people, and signing in. */
export const signInTexts: Texts = {
  callback_uri: {
    description: 'Where the provider leads people back to. It is registered there with the app of this client id.',
    example: `https://access.example.com/sign_in/callback/${id}`,
  },
  client_secret: { description: 'Secret of this service at the provider.', example: 'sample-secret' },
  client_session_lifetime_secs: integer(
    'How long a sign-in of a client lasts, in seconds. When sent as null, it is the default, 604800, and answered as that number.',
    604_800,
  ),
  discovery_document_uri: {
    description: 'Address of the discovery document; for an auth provider also of its issuer.',
    example: 'https://login.example.net/.well-known/openid-configuration',
  },
  domain: { description: 'Domain of the customer that is synchronized; null for all of them.', example: 'example.com' },
  domains: {
    description:
      'Domains that an email must be of, without the domains below them; null for any. Stored in lower case and punycode, each once, in the order sent.',
    example: ['example.com'],
  },
  end_session_url: {
    description: 'Where a browser ends its session at the provider; null where the provider names no such address.',
    example: 'https://login.example.net/logout?client_id=sample-client',
  },
  idp_domain: { description: 'Host name of the identity provider.', example: 'idp.example.com' },
  last_error: {
    description:
      'The last fault of the provider, in one sentence; null where there was none since a sign-in or a change.',
    example: 'The token endpoint or key set did not answer in time.',
  },
  last_error_at: {
    description: 'When that fault was noted; null where there is none.',
    example: '2026-03-01T12:00:00.000000Z',
  },
  portal_session_lifetime_secs: integer(
    'How long a sign-in to the portal lasts, in seconds. When sent as null, it is the default, 28800, and answered as that number.',
    28_800,
  ),
  prompt: {
    description: 'Has the provider ask which account to use, after a refusal or a sign-out.',
    example: 'select_account',
  },
  redirect_uri: {
    description: 'Where the provider sends people back to; null for the address of this service.',
    example: 'https://access.example.net/cb',
  },
  tenant_id: {
    description: 'The tenant: its GUID, or one of its domain names.',
    example: '3b1f7c0e-5d2a-4f7e-9c55-0a1b2c3d4e5f',
  },
}
