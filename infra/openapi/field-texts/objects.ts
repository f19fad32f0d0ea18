import { id, instant, integer, type Texts, text, uuid } from './text.ts'

export const objectsTexts: Texts = {
  account_id: uuid('The account of the caller, which owns the object.'),
  add: text('Ids of members to add, at most 10,000 with those of `remove`. Existing members are ignored.', [id]),
  auth_provider_id: uuid(
    'The provider with which the person signed in; null for a token that an administrator created.',
  ),
  description: text(
    'Note for administrators, 1 to 1024 characters. An empty text is stored as null.',
    'Engineers reach the wiki',
  ),
  email: text(
    'Email address as `local@host.tld`. The part after `@` is stored in lower case and punycode: `Ada@Example.COM` → `Ada@example.com`.',
    'ada@example.com',
  ),
  expires_at: instant('Expiry, UTC with microseconds; null if it does not expire.'),
  group_id: uuid(
    'The group whose members get access: the `id` of a group. Null after the group was deleted; the policy then grants nothing.',
  ),
  id: uuid(
    'Identifies the object. The service assigns it at creation and never reuses it. UUIDs are returned in lower case.',
  ),
  inserted_at: instant('When the object was created, UTC with microseconds; it never changes.'),
  is_disabled: text('True while the object is disabled and grants no access. False by default.', false),
  kind: text('Kind of the provider: `email_otp`, `oidc`, `suite`, `tenant` or `idp`.', 'oidc'),
  name: text('Display name, at most 255 characters. Surrounding blanks are removed: ` Wiki ` → `Wiki`.', 'Engineering'),
  online: text('True while the device has an active session.', true),
  policies: text('The relevant policies, with their conditions.'),
  policy_id: uuid('The policy that grants the access.'),
  public_key: text(
    'Public key of the tunnel: 32 bytes in base64, 44 characters; null before the first session.',
    'c2FtcGxlIHB1YmxpYyBrZXkgb2YgMzIgYnl0ZXMuLi4=',
  ),
  remove: text('Ids of members to remove. Other ids are ignored. An id that is also in `add` stays a member.', [id]),
  resource_id: uuid('The resource to reach, or that was reached: the `id` of a resource.'),
  token: text(
    'The secret, shown only in this response. It starts with `naa_` (API), `nac_` (client), `nag_` (gateway) or `nap_` (portal session).',
    'nag_opaque',
  ),
  type: text('Kind of the object; the allowed values are listed.'),
  updated_at: instant(
    'When the object was last changed, UTC with microseconds. A request that changes nothing does not update it.',
  ),
  user_id: text('Identifier of the person at the vendor.'),
  version: text('Software version of the device, at most 64 characters.', '1.4.0'),

  // Fields of the account and its limits.
  account_admin_users: text('Limit of enabled administrators.'),
  'accounts.monthly_active_users': text('Limit of enabled people whose client was active within the last month.'),
  'accounts.name': text('Name of the company, 3 to 64 characters.', 'Example'),
  'accounts.sites': text('Limit of sites that administrators create, without the Internet Site.'),
  'accounts.users': text('Limit of enabled people, including administrators.'),
  available: integer('Number of objects that can still be created: `total` minus `used`, at least 0.', 7),
  key: text('Short code of the account, 6 lower-case letters and digits, unique in the service.', 'k3v9qa'),
  legal_name: text('Registered name of the company; null if none was set.', 'Example Ltd'),
  limits: text('The configured limits, each with its use; `{}` if none is configured.'),
  service_accounts: text('Limit of enabled programs with clients (`service_account`).'),
  slug: text('Part of the sign-in address `/sign_in/<slug>`, unique in the service.', 'example'),
  'accounts.total': integer('Maximum number that the account may have.', 10),
  used: integer('Number of existing objects.', 3),

  // Fields of every response, page and problem.
  code: text('Reason of the error in snake_case, for programs.', 'not_found'),
  count: integer('Same as `total`, for compatibility with clients that read this field.', 1),
  data: text('The requested object, or a page of a list.'),
  deleted_count: integer('Number of tokens that the request deleted.', 2),
  detail: text('Explanation of this error for people. Programs use `code`.', 'The requested resource was not found.'),
  errors: text(
    'Only with status 422: field → messages. Nested fields have dotted paths with positions from 0 (`conditions.0.values`); messages about several fields are under `base`.',
    { name: ["can't be blank"] },
  ),
  limit: integer('Maximum number of rows of a page, 1 to 1,000.', 50),
  metadata: text('Position of this page in the list, and the length of the list.'),
  next_page: text('Cursor of the next page, to send as `page_cursor`; null on the last page.', null),
  pending: integer(
    'Number of entries that are written after this response. `GET` of the list shows the current state.',
    5000,
  ),
  prev_page: text('Cursor of the previous page, to send as `page_cursor`; null on the first page.', null),
  request_id: text(
    'Same as the header `x-request-id`; quote it when you report a problem.',
    '0f6b7a52-6a55-4f0e-9d4c-2f1b8c1f7d11',
  ),
  status: text('`ok` when the request was accepted.', 'ok'),
  title: text('The HTTP reason phrase that belongs to `status`.', 'Not Found'),
  total: integer(
    'Number of rows that match the filters, on all pages. For logs, see `total_limit`. Null with a filter that has no index.',
    1,
  ),
  truncated: text('Names of fields that are truncated because the response would be too large; absent if none is.'),
}
