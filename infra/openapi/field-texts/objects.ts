import { id, instant, integer, type Texts, text, uuid } from './text.ts'

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

  // The account and its limits.
  account_admin_users: text('Limit of enabled administrators.'),
  'accounts.monthly_active_users': text('Limit of enabled people with a client that was seen within the last month.'),
  'accounts.name': text('What the company is called, 3 to 64 characters.', 'Example'),
  'accounts.sites': text('Limit of places that administrators create; the Internet Site does not count.'),
  'accounts.users': text('Limit of enabled people, administrators among them.'),
  available: integer('How many more can be created: `total` minus `used`, at least 0.', 7),
  key: text('Short code of the account, 6 lower-case letters and digits, unique in the service.', 'k3v9qa'),
  legal_name: text('Registered name of the company; null when none was given.', 'Example Ltd'),
  limits: text('The limits that are set, each with its use; `{}` when none is set.'),
  service_accounts: text('Limit of enabled actors that are programs with clients.'),
  slug: text('Part of the sign-in address `/sign_in/<slug>`, unique in the service.', 'example'),
  'accounts.total': integer('How many the account may have.', 10),
  used: integer('How many exist now.', 3),

  // Fields of every response, page and problem.
  code: text('The reason in snake_case, for programs to decide by.', 'not_found'),
  count: integer('The same number as `total`, kept for clients that read this name.', 1),
  data: text('The object or the list of objects that the request is about.'),
  deleted_count: integer('How many tokens the request deleted.', 2),
  detail: text(
    'A sentence about this occurrence, for people; programs read `code`.',
    'The requested resource was not found.',
  ),
  errors: text(
    'Only with status 422: field → messages. Nested fields have dotted paths with positions from 0 (`conditions.0.values`); rules across fields are under `base`.',
    { name: ["can't be blank"] },
  ),
  limit: integer('How many rows a page has at most, 1 to 100.', 50),
  metadata: text('Position of this page in its list, and how long the list is.'),
  next_page: text('Cursor to send as `page_cursor` for the page after this one; null on the last page.', null),
  pending: integer(
    'How many entries are still to be written after this answer. `GET` of the list shows what is there.',
    5000,
  ),
  prev_page: text('Cursor to send as `page_cursor` for the page before this one; null on the first page.', null),
  request_id: text(
    'Same as the header `x-request-id`; quote it when you report a fault.',
    '0f6b7a52-6a55-4f0e-9d4c-2f1b8c1f7d11',
  ),
  status: text('`ok` when the request was taken.', 'ok'),
  title: text('The HTTP reason phrase that belongs to `status`.', 'Not Found'),
  total: integer('How many rows match the filters, on all pages together.', 1),
  truncated: text('Names of fields that are cut because the answer would be too large; absent when nothing is cut.'),
}
