import { instant, integer, type Texts, text, uuid } from './text.ts'

/** The change, session and api_request logs. */
export const logsTexts: Texts = {
  'entries.actor_id': uuid('The person or program that acted; null where none did.'),
  actor_email: text('Address of the actor at that time; null where it had none.', 'ada@example.com'),
  actor_name: text('What the actor was called at that time.', 'Ada'),
  actor_type: text('Kind of the actor at that time, for example `api_client`.', 'account_admin_user'),
  after: text('The object after the change; null when it was deleted. Secrets are redacted.'),
  api_token_id: uuid('The API token of the request; null for a portal session.'),
  before: text('The object before the change; null when it was created. Secrets are redacted.'),
  content_length: integer('Size of the request body in bytes; null where the header is missing.', 128),
  'entries.context': text('For what the actor signed in: a client or the portal; null where nobody did.'),
  'entries.type': text('Stream of the entry: `change`, `session`, `flow` or `api_request`.', 'change'),
  ip: text(
    'Public address of the request, lower case and compressed for IPv6; null where there was no request.',
    '192.0.2.10',
  ),
  ip_city: text('Where the address of the request is said to be: the city; null where it is unknown.', 'Warsaw'),
  ip_lat: text('Where the address of the request is said to be: degrees north; null where it is unknown.', 52.2),
  ip_lon: text('Where the address of the request is said to be: degrees east; null where it is unknown.', 21),
  ip_region: text(
    'Where the address of the request is said to be: ISO 3166-1 alpha-2 code; null where it is unknown.',
    'PL',
  ),
  log_id: text(
    'Identifier of the entry, 24 hexadecimal characters, ordered by time within its stream.',
    '06f2b5c4d8e17a3900000000',
  ),
  method: text('HTTP verb of the request.', 'POST'),
  object: text('Collection of the changed object, for example `groups`.', 'groups'),
  operation: text('`insert`, `update` or `delete`.', 'update'),
  path: text('Address of the request without query; of a proof, its hashes in base64, from the leaf upward.'),
  run_id: { ...uuid('The sync run that caused the change; null where none did.'), example: null },
  subject: text('Who acted, from where and with which token; null for the service itself.'),
  timestamp: instant('When it happened by the clock of the service, UTC with microseconds; the order of the log.'),
  token_id: uuid('The token that the caller presented; null where there was none.'),
  user_agent: text('Header `User-Agent` of the request; null where it is missing.', 'curl/8.5.0'),
}
