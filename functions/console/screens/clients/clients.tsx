import { type Collection, columnsOf, type Row } from '../../collection/collection.ts'
import { texts } from '../../texts/texts.ts'

export const clientStates = ({ online, verified_at }: Row) => [
  online
    ? { text: texts.badges.online, tone: 'good' as const }
    : { text: texts.badges.offline, tone: 'neutral' as const },
  ...(verified_at === null ? [] : [{ text: texts.badges.verified, tone: 'good' as const }]),
]

export const clientColumns = columnsOf<'GET /clients'>()([
  { field: 'name' },
  { field: 'actor_id', to: 'actors' },
  { field: 'last_seen_remote_ip', kind: 'code', minor: true },
  { field: 'last_seen_at', kind: 'time' },
])

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
  facts: columnsOf<'GET /clients'>()([
    { field: 'actor_id', to: 'actors' },
    { field: 'verified_at', kind: 'time' },
    { field: 'last_seen_at', kind: 'time' },
    { field: 'last_seen_version' },
    { field: 'last_seen_user_agent' },
    { field: 'last_seen_remote_ip', kind: 'code' },
    { field: 'last_seen_remote_ip_location_region' },
    { field: 'last_seen_remote_ip_location_city' },
    { field: 'hostname' },
    { field: 'device_serial', kind: 'code' },
    { field: 'device_uuid', kind: 'code' },
    { field: 'ipv4', kind: 'code' },
    { field: 'ipv6', kind: 'code' },
    { field: 'svc_id', kind: 'code' },
    { field: 'public_key', kind: 'code' },
    { field: 'created_at', kind: 'time' },
  ]),
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
}
