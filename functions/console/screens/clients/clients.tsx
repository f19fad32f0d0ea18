import { type Collection, columnsOf, type Row } from '../../collection/collection.ts'
import { texts } from '../../texts/texts.ts'
import { authorizationCount, authorizationsOf } from '../authorizations/authorizations.tsx'

export const clientStates = ({ online, verified_at }: Row) => [
  online
    ? { text: texts.badges.online, tone: 'good' as const }
    : { text: texts.badges.offline, tone: 'neutral' as const },
  ...(verified_at === null ? [] : [{ text: texts.badges.verified, tone: 'good' as const }]),
]

export const clientColumns = columnsOf<'GET /clients'>()(
  'name',
  'actor_id @actors',
  'last_seen_remote_ip code minor',
  'last_seen_at time',
)

export const clients: Collection = {
  noun: 'clients',
  scope: 'clients',
  address: '/clients',
  routes: {
    list: 'GET /clients',
    read: 'GET /clients/{id}',
    update: 'PATCH /clients/{id}',
    remove: 'DELETE /clients/{id}',
  },
  envelope: 'client',
  columns: clientColumns,
  facts: columnsOf<'GET /clients'>()(
    'actor_id @actors',
    'verified_at time',
    'last_seen_at time',
    'last_seen_version',
    'last_seen_user_agent',
    'last_seen_remote_ip code',
    'last_seen_remote_ip_location_region',
    'last_seen_remote_ip_location_city',
    'hostname',
    'device_serial code',
    'device_uuid code',
    'ipv4 code',
    'ipv6 code',
    'svc_id code',
    'public_key code',
    'created_at time',
  ),
  hidesBlank: true,
  filters: [
    { name: 'online', flag: true },
    { name: 'verified', flag: true },
  ],
  fields: [{ name: 'name', kind: 'text', isRequired: true }],
  states: clientStates,
  actions: [
    {
      label: texts.client.verify,
      route: 'PUT /clients/{id}/verify',
      done: texts.client.verified,
      isShown: ({ verified_at }) => verified_at === null,
    },
    {
      label: texts.client.unverify,
      route: 'PUT /clients/{id}/unverify',
      done: texts.client.unverified,
      confirm: texts.client.unverifyHint,
      isShown: ({ verified_at }) => verified_at !== null,
    },
  ],
  counts: [authorizationCount('client_id')],
  parts: [authorizationsOf('client_id')],
}
