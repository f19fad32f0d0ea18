import { id, instant, type Texts, text, uuid } from './text.ts'

const endOfToken = instant(
  'When the token ends; it must be in the future. Answered in UTC with microseconds: `2099-03-01T13:00:00+01:00` → `2099-03-01T12:00:00.000000Z`.',
)

export const actorsAndGroupsTexts: Texts = {
  actor_id: uuid('The person or program that it belongs to: the `id` of an actor.'),
  actor_ids: text('Ids of all members after the change, ascending, each once.', [id]),
  allow_email_otp_sign_in: text(
    'Allows the actor to sign in with a passcode that is sent by email. False by default.',
    true,
  ),
  created_by_directory_id: uuid('The directory that created the actor; null for one that an administrator created.'),
  'actors.email': text(
    'Address, unique in the account ignoring case; null for `service_account` and `api_client`. The part behind `@` is stored in lower case and in punycode: `Uma@Example.COM` → `Uma@example.com`.',
    'ada@example.com',
  ),
  'actors.type': text(
    '`account_user` and `account_admin_user` are people, who need an email; only the second administers. `service_account` is a program with clients, `api_client` a program that calls this API.',
    'account_user',
  ),
  entity_type: text('`group`, or `org_unit` for an organizational unit that a directory synchronizes.', 'group'),
  'api_tokens.expires_at': endOfToken,
  'client_tokens.expires_at': endOfToken,
  'api_tokens.last_seen_at': instant('When the token was last used, exact to a minute; null before the first use.'),
  'api_tokens.name': text('What administrators call the token, at most 255 characters; null for none.', 'Terraform'),
  'groups.email': text(
    'Address of the group at the identity provider; null for a group that is not synchronized.',
    null,
  ),
  'groups.name': text(
    'What the group is called, at most 255 characters; unique, with case, among groups that are not synchronized. Blanks around it are cut: ` Engineering ` → `Engineering`.',
    'Engineering',
  ),
  'groups.directory_id': uuid('The directory that synchronizes the group; null for one that an administrator created.'),
  idp_id: text('Identifier at the identity provider; null for what was not synchronized.', null),
  'memberships.type': text(
    'Kind of the actor: `account_user`, `account_admin_user`, `service_account` or `api_client`.',
    'account_user',
  ),
  scopes: text(
    'What the token may do: `*` everything, `*:read` every read, `<collection>:read`, or `<collection>:write`, which includes reading. `["*"]` by default. Answered in the order sent, each once: `["groups:read", "groups:read"]` → `["groups:read"]`.',
    ['*'],
  ),
}
