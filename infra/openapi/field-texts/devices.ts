import { integer, type Texts, time } from './text.ts'

/** Clients and gateways, and their sessions. */
export const devicesTexts: Texts = {
  added: { description: 'Authorizations that have come since the last heartbeat.' },
  authorizations: { description: 'All authorizations in force; null unless `complete`.' },
  complete: { description: 'Whether the answer holds all authorizations instead of the changes.', example: false },
  heartbeat_secs: integer('How often a heartbeat is expected, in seconds.', 30),
  hostname: { description: 'Host name of the device.', example: 'ada-laptop' },
  identifier_for_vendor: { description: 'Identifier that the platform gives the vendor.', example: null },
  ingest_token: {
    description: 'Token for reporting the flows of this authorization.',
    example: 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln',
  },
  ipv4: {
    description: 'IPv4 tunnel address; the service assigns one at creation unless it was given.',
    example: '100.64.0.7',
  },
  ipv6: {
    description: 'IPv6 tunnel address; the service assigns one at creation unless it was given.',
    example: 'fd00:2021:1111::7',
  },
  more: { description: 'Whether more is waiting: ask again at once.', example: false },
  push_installation_id: { description: 'Identifier for push messages.', example: null },
  removed: { description: 'Authorizations that have ended since the last heartbeat.' },
  resources: { description: 'What the client can connect to now, oldest first.' },
  resources_cursor: {
    description: 'Where `GET /client/sessions/{id}/resources` goes on with what did not fit; null when all are here.',
    example: null,
  },
  since: {
    description: 'Position of the last heartbeat; the answer holds what has changed since.',
    example: 'MDE5MzJjN2U',
  },
  svc_id: { description: 'Identifies the installation, unique per actor.', example: 'installation-1' },
  verified_at: {
    description: 'When an administrator verified the device; null when unverified.',
    example: time,
    format: 'date-time',
  },
}
