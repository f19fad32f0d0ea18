import { id, instant, integer, type Texts, text, uuid } from './text.ts'

export const signInTexts: Texts = {
  'issueds.actor': text('The person who signed in, as far as the client shows it.'),
  authorization_url: text('Where to send the browser: the sign-in of the provider.'),
  'auth_providers.client_id': text(
    'Identifier of this service at the provider, at most 255 characters, unique among providers of the kind.',
    '0oa1b2c3',
  ),
  'auth_providers.issuer': text(
    'Address that the provider signs its identities with. Read-only but for tenant providers.',
    'https://idp.example.com',
  ),
  'auth_providers.name': text(
    'What people see when they choose how to sign in, at most 255 characters, unique per kind; the kind when left out.',
    'Staff',
  ),
  'auth_providers.context': text(
    'What people can sign in to with it: clients, the portal of administrators, or both (the default).',
    'clients_and_portal',
  ),
  callback_uri: text(
    'Where the provider leads people back to. Register it there with the app of this client id.',
    `https://access.example.com/sign_in/callback/${id}`,
  ),
  client_secret: text(
    'Secret of this service at the provider; sent, stored encrypted and never answered. Left out on update, it stays.',
    'sample-secret',
  ),
  client_session_lifetime_secs: integer(
    'Seconds that a sign-in of a client lasts: 3600 to 7776000. Null is answered as the default: null → 604800.',
    604_800,
  ),
  'redeems.code': text(
    'The code of the redirect: random, for one use, valid for 60 seconds.',
    'c29tZSByYW5kb20gdGV4dA',
  ),
  code_challenge: text(
    'PKCE challenge (S256): SHA-256 of `code_verifier` in base64url, 43 characters.',
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  ),
  code_verifier: text(
    'The random text, 43 to 128 characters, whose hash was the `code_challenge` of the start.',
    'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  ),
  context: text('What to sign in to: `client` for a device, `portal` for the administration.', 'client'),
  discovery_document_uri: text(
    'https address of the OpenID Connect discovery document, or of the issuer; kept as sent. It is read at creation and whenever it changes.',
    'https://login.example.net/.well-known/openid-configuration',
  ),
  domains: text(
    'Domains that an email must be of, without the domains below them; null for any. Answered in lower case and punycode, each once: `["Example.COM", "example.com"]` → `["example.com"]`.',
    ['example.com'],
  ),
  email_claim: text('Claim of the ID token that the email is taken from.', 'upn'),
  email_verification_method: text(
    'When an email links an identity to an actor: `none` always, `claim` when the provider says it is verified, `proof` when a passcode was entered.',
    'claim',
  ),
  end_session_url: text(
    'Where a browser ends its session at the provider; null where the provider names no such address.',
    'https://login.example.net/logout?client_id=sample-client',
  ),
  family_name: text('Last name at the provider; null where it has none.', 'Admin'),
  given_name: text('First name at the provider; null where it has none.', 'Ada'),
  hosted_domain: text(
    'Restricts sign-in to one domain of the suite; write-only. Null for every domain.',
    'example.com',
  ),
  idp_domain: text(
    'Host of the identity provider, answered in lower case: `IdP.Example.com` → `idp.example.com`.',
    'idp.example.com',
  ),
  is_default: text('True for the provider that is offered first; setting it clears it on all others.', false),
  issuer: text('Address that the provider signs its identities with.', 'https://idp.example.com'),
  last_error: text(
    'The last fault of the provider, in one sentence; null where there was none since a sign-in or a change.',
    'The token endpoint or key set did not answer in time.',
  ),
  last_error_at: instant('When that fault was noted; null where there is none.'),
  matches_administrators: text(
    'Whether runs may link, move and take away identities of administrators. Only a caller with scope `*` sets it, or changes what such a directory reads.',
    true,
  ),
  middle_name: text('Second name at the provider; null where it has none.', null),
  nickname: text('Informal name at the provider; null where it has none.', null),
  'external_identities.actor_id': uuid('The person that signs in with this identity.'),
  'external_identities.directory_id': uuid(
    'The directory that synchronizes the identity; null for one that a sign-in created.',
  ),
  'external_identities.email': text('Address at the provider; null where it has none.', 'ada@example.com'),
  'external_identities.idp_id': text(
    'Subject at the provider: what it calls the person, whatever the name or email is.',
    '00u1a2b3',
  ),
  'external_identities.name': text('Full name at the provider; null where it has none.', 'Ada Admin'),
  passcode: text('The 6 characters that were sent by email.', 'ABC234'),
  picture: text('Address of a portrait at the provider; null where it has none.', null),
  portal_session_lifetime_secs: integer(
    'Seconds that a sign-in to the portal lasts: 300 to 86400. Null is answered as the default: null → 28800.',
    28_800,
  ),
  preferred_username: text('Account name at the provider; null where it has none.', 'ada'),
  profile: text('Address of a page about the person at the provider; null where it has none.', null),
  prompt: text('Has the provider ask which account to use, after a refusal or a sign-out.', 'select_account'),
  redirect_uri: text(
    'Where the browser returns to; one of the addresses that the deployment allows.',
    'http://127.0.0.1:49152/callback',
  ),
  state: text(
    'Text of the caller, 1 to 512 characters, given back unchanged to tie the answer to the start.',
    'af0ifjsldkj',
  ),
  svc_avatar_url: text('Portrait that this service keeps; null where it keeps none.', null),
  'directories.client_id': text(
    'Identifier of this service at the provider of the directory, at most 255 characters.',
    '0oa1b2c3',
  ),
}
