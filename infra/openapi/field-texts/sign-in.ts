import { id, instant, integer, type Texts, text, uuid } from './text.ts'

export const signInTexts: Texts = {
  'console_sessions.account': text(
    'The account to which the caller belongs, with its slug for the header `X-Console`.',
  ),
  'console_sessions.actor': text('The owner of the session or token, with the fields that the console displays.'),
  'console_sessions.credential': text(
    'The credential of the request: `portal_session` with its provider, or `api_token` with the context null, and its end.',
  ),
  'console_sessions.auth_provider_id': uuid(
    'The provider of the portal session; null for an API token and the one-time sign-in of a local service.',
  ),
  'console_sessions.scopes': text('Scopes of the credential. `*` includes every scope.', ['*']),
  change_count: integer(
    'Number of entries in the change log of the account so far. Null if it is unknown. It grows with each change.',
    8_121,
  ),
  'portal_sessions.actor_id': uuid('The administrator who signed in.'),
  'portal_sessions.auth_provider_id': uuid(
    'The provider of the sign-in; null for the one-time sign-in of a local service.',
  ),
  'portal_sessions.context': text('Target of the sign-in, always `portal`.', 'portal'),
  'portal_sessions.expires_at': instant('When the session ends, unless somebody ends it earlier.'),
  'issueds.actor': text('The person who signed in, with the fields that the client displays.'),
  authorization_url: text('URL of the sign-in page of the provider, to open in the browser.'),
  'auth_providers.client_id': text(
    'Client ID of this service at the provider, at most 255 characters, unique among providers of the kind.',
    '0oa1b2c3',
  ),
  'auth_providers.issuer': text(
    'Issuer URL in the tokens of the provider. Read-only except for tenant providers.',
    'https://idp.example.com',
  ),
  'auth_providers.name': text(
    'Name shown on the sign-in page, at most 255 characters, unique per kind. The kind by default.',
    'Staff',
  ),
  'auth_providers.context': text(
    'Where people can sign in with this provider: clients, the portal of administrators, or both (the default).',
    'clients_and_portal',
  ),
  callback_uri: text(
    'Redirect URI of this service. Register it at the provider for the app with this client id.',
    `https://access.example.com/sign_in/callback/${id}`,
  ),
  client_secret: text(
    'Client secret of this service at the provider, write-only and stored encrypted. An update without it keeps it.',
    'sample-secret',
  ),
  client_session_lifetime_secs: integer(
    'Lifetime of a client sign-in in seconds: 3600 to 7776000. Null is returned as the default: null → 604800.',
    604_800,
  ),
  'redeems.code': text('The code from the redirect: random, valid once and for 60 seconds.', 'c29tZSByYW5kb20gdGV4dA'),
  code_challenge: text(
    'PKCE challenge (S256): SHA-256 of `code_verifier` in base64url, 43 characters.',
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  ),
  code_verifier: text(
    'The random text, 43 to 128 characters, whose hash was sent as `code_challenge` at the start.',
    'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  ),
  context: text('Target of the sign-in: `client` for a device, `portal` for the administration.', 'client'),
  discovery_document_uri: text(
    'https address of the OpenID Connect discovery document, or of the issuer; kept as sent. The service reads it at creation and after each change.',
    'https://login.example.net/.well-known/openid-configuration',
  ),
  domains: text(
    'Allowed email domains, without their subdomains; null for any domain. Returned in lower case and punycode, without duplicates: `["Example.COM", "example.com"]` → `["example.com"]`.',
    ['example.com'],
  ),
  email_claim: text('Claim of the ID token that contains the email.', 'upn'),
  email_verification_method: text(
    'Proof required before an email links an identity to an actor: `none` for no proof, `claim` if the provider states that it is verified, `proof` for a passcode.',
    'claim',
  ),
  end_session_url: text(
    'URL at which a browser ends its session at the provider; null if the provider has none.',
    'https://login.example.net/logout?client_id=sample-client',
  ),
  family_name: text('Last name at the provider; null if it has none.', 'Admin'),
  given_name: text('First name at the provider; null if it has none.', 'Ada'),
  hosted_domain: text(
    'Restricts sign-in to one domain of the suite. Write-only; null for every domain.',
    'example.com',
  ),
  idp_domain: text(
    'Host of the identity provider, returned in lower case: `IdP.Example.com` → `idp.example.com`.',
    'idp.example.com',
  ),
  is_default: text('True for the provider that is offered first. Setting it clears it on all other providers.', false),
  issuer: text('Issuer URL in the tokens of the provider.', 'https://idp.example.com'),
  last_error: text(
    'Last error of the provider, in one sentence; null after a successful sign-in or a change.',
    'The token endpoint or key set did not respond in time.',
  ),
  last_error_at: instant('Time of the last error; null if there is none.'),
  matches_administrators: text(
    'Whether sync runs may link, move and remove identities of administrators. Only a caller with scope `*` can set it, or change what such a directory reads.',
    true,
  ),
  middle_name: text('Second name at the provider; null if it has none.', null),
  nickname: text('Informal name at the provider; null if it has none.', null),
  'external_identities.actor_id': uuid('The person who signs in with this identity.'),
  'external_identities.directory_id': uuid(
    'The directory that synchronizes the identity; null if a sign-in created it.',
  ),
  'external_identities.email': text('Email address at the provider; null if it has none.', 'ada@example.com'),
  'external_identities.idp_id': text(
    'Subject (`sub`): the permanent identifier of the person at the provider.',
    '00u1a2b3',
  ),
  'external_identities.name': text('Full name at the provider; null if it has none.', 'Ada Admin'),
  passcode: text('The 6-character passcode from the email.', 'ABC234'),
  picture: text('URL of a portrait at the provider; null if it has none.', null),
  portal_session_lifetime_secs: integer(
    'Lifetime of a portal sign-in in seconds: 300 to 86400. Null is returned as the default: null → 28800.',
    28_800,
  ),
  preferred_username: text('Account name at the provider; null if it has none.', 'ada'),
  profile: text('URL of the profile page of the person at the provider; null if it has none.', null),
  prompt: text(
    'Makes the provider ask which account to use, for example after a refusal or a sign-out.',
    'select_account',
  ),
  redirect_uri: text(
    'URI to which the browser returns, one of those that the deployment allows.',
    'http://127.0.0.1:49152/callback',
  ),
  state: text(
    'Text of the caller, 1 to 512 characters, returned unchanged to match the response with the start.',
    'af0ifjsldkj',
  ),
  svc_avatar_url: text('URL of the portrait that this service stores; null if it stores none.', null),
  'directories.client_id': text(
    'Client ID of this service at the provider of the directory, at most 255 characters.',
    '0oa1b2c3',
  ),
}
