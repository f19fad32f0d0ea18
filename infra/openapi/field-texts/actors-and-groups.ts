import { id, instant, type Texts, text, uuid } from './text.ts'

const endOfToken = instant(
  'Expiry of the token, which must be in the future. Returned in UTC with microseconds: `2099-03-01T13:00:00+01:00` → `2099-03-01T12:00:00.000000Z`.',
)

export const actorsAndGroupsTexts: Texts = {
  actor_id: uuid('The person or program that the object belongs to: the `id` of an actor.'),
  actor_ids: text('Ids of all members after the change, ascending, each once.', [id]),
  allow_email_otp_sign_in: text(
    'Allows the actor to sign in with a passcode that is sent by email. False by default.',
    true,
  ),
  created_by_directory_id: uuid('The directory that created the actor; null if an administrator created it.'),
  'actors.email': text(
    'Email address, unique in the account (case-insensitive); null for `service_account` and `api_client`. The part after `@` is stored in lower case and punycode: `Uma@Example.COM` → `Uma@example.com`.',
    'ada@example.com',
  ),
  'actors.type': text(
    '`account_user` and `account_admin_user` are people and need an email; only `account_admin_user` administers the account. `service_account` is a program with clients, `api_client` a program that calls this API.',
    'account_user',
  ),
  entity_type: text('`group`, or `org_unit` for an organizational unit that a directory synchronizes.', 'group'),
  'api_tokens.expires_at': endOfToken,
  'client_tokens.expires_at': endOfToken,
  'api_tokens.last_seen_at': instant('Last use of the token, accurate to a minute; null before the first use.'),
  'api_tokens.name': text('Name of the token, at most 255 characters; null if it has none.', 'Terraform'),
  'groups.email': text(
    'Email address of the group at the identity provider; null for a group that is not synchronized.',
    null,
  ),
  'groups.name': text(
    'Name of the group, at most 255 characters; unique (case-sensitive) among groups that are not synchronized. Surrounding blanks are removed: ` Engineering ` → `Engineering`.',
    'Engineering',
  ),
  'groups.directory_id': uuid('The directory that synchronizes the group; null if an administrator created it.'),
  idp_id: text('Identifier at the identity provider; null for an object that is not synchronized.', null),
  'memberships.type': text(
    'Kind of the actor: `account_user`, `account_admin_user`, `service_account` or `api_client`.',
    'account_user',
  ),
  portal_scopes: text(
    'Scopes of the portal sessions of a user or administrator: `["*:read"]` to read everything, or null for those of the type, which are all for an administrator and none for a user. Changing it requires the scope `*`.',
    null,
  ),
  scopes: text(
    'Scopes of the token: `*` for everything, `*:read` for every read, `<collection>:read`, or `<collection>:write`, which includes reading. `["*"]` by default. Returned in the order sent, without duplicates: `["groups:read", "groups:read"]` → `["groups:read"]`.',
    ['*'],
  ),
}
