import { id, instant, type Texts, text, uuid } from './text.ts'

/** What objects of several collections have. */
export const objectsTexts: Texts = {
  account_id: uuid('The account of the caller, to which everything belongs.'),
  add: text('Ids to become members, at most 10,000 with those of `remove`. Members already are no error.', [id]),
  auth_provider_id: uuid(
    'The provider that the person signed in with; null for a token that an administrator created.',
  ),
  description: text(
    'A remark for administrators, 1 to 1024 characters; an empty text is stored as null.',
    'Engineers reach the wiki',
  ),
  email: text(
    'Address as `local@host.tld`; the part behind `@` is stored in lower case and in punycode: `Ada@Example.COM` → `Ada@example.com`.',
    'ada@example.com',
  ),
  expires_at: instant('Until when it is valid, UTC with microseconds; null for no end.'),
  group_id: uuid(
    'The group whose members get access: the `id` of a group. Null once the group was deleted: the policy then grants nothing.',
  ),
  id: uuid(
    'Identifies the object; given by the service at creation and never used again. UUIDs are answered in lower case.',
  ),
  inserted_at: instant('When the object was created, UTC with microseconds; it never changes.'),
  is_disabled: text('True while the object is switched off and gives no access. False by default.', false),
  kind: text('Kind of the provider: `email_otp`, `oidc`, `suite`, `tenant` or `idp`.', 'oidc'),
  name: text(
    'What people call it, at most 255 characters. Blanks around it are cut: ` Wiki ` → `Wiki`.',
    'Engineering',
  ),
  online: text('True while a session of the device is live.', true),
  policies: text('The policies that matter here, with their conditions.'),
  policy_id: uuid('The policy that grants the access.'),
  public_key: text(
    'Public key of the tunnel: 32 bytes in base64, 44 characters; null before the first session.',
    'c2FtcGxlIHB1YmxpYyBrZXkgb2YgMzIgYnl0ZXMuLi4=',
  ),
  remove: text('Ids to be members no longer. Others are ignored; an id that is in `add` too stays a member.', [id]),
  resource_id: uuid('What to reach, or what was reached: the `id` of a resource.'),
  token: text(
    'The secret, shown in this answer and never again. It begins with `naa_` (API), `nac_` (client), `nag_` (gateway) or `nap_` (portal session).',
    'nag_opaque',
  ),
  type: text('Kind of the object; the allowed values are listed.'),
  updated_at: instant(
    'When the object was last changed, UTC with microseconds. A request that changes nothing leaves it.',
  ),
  user_id: text('Identifier of the person at the vendor.'),
  version: text('Release of the software of the device, at most 64 characters.', '1.4.0'),
}
