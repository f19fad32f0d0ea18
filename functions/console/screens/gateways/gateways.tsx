import { type Collection, columnsOf, type Row } from '../../collection/collection.ts'
import { texts } from '../../texts/texts.ts'
import { authorizationCount, authorizationsOf } from '../authorizations/authorizations.tsx'
import { GatewayTokenPart } from './gateway-token-part.tsx'

export const gatewayStates = ({ online, rotated_at }: Row) => [
  online ? { text: texts.badges.online, tone: 'good' as const } : { text: texts.badges.offline, tone: 'bad' as const },
  ...(rotated_at === null ? [] : [{ text: texts.badges.rotating, tone: 'warn' as const }]),
]

export const gatewayColumns = columnsOf<'GET /sites/{site_id}/gateways'>()(
  'name',
  'last_seen_version',
  'last_seen_remote_ip code minor',
  'last_seen_at time',
)

const facts = columnsOf<'GET /sites/{site_id}/gateways'>()(
  'site_id @sites',
  'last_seen_at time',
  'last_seen_version',
  'last_seen_user_agent',
  'last_seen_remote_ip code',
  'last_seen_remote_ip_location_region',
  'last_seen_remote_ip_location_city',
  'ipv4 code',
  'ipv6 code',
  'rotated_at time',
  'public_key code',
)

const base = {
  noun: 'gateways',
  scope: 'gateways',
  envelope: 'gateway',
  facts,
  fields: [],
  states: gatewayStates,
  hidesBlank: true,
  counts: [authorizationCount('gateway_id')],
  parts: [
    { key: 'token', label: texts.labels.gatewayToken, noun: 'gateways', scope: 'tokens', render: GatewayTokenPart },
    authorizationsOf('gateway_id'),
  ],
} satisfies Partial<Collection>

/** Gateways of one site, with their details and form. */
export const gateways: Collection = {
  ...base,
  address: '/sites/:site_id/gateways',
  back: ({ site_id }) => `/sites/${site_id}`,
  backNoun: 'sites',
  routes: {
    list: 'GET /sites/{site_id}/gateways',
    read: 'GET /sites/{site_id}/gateways/{id}',
    create: 'POST /sites/{site_id}/gateways',
    update: 'PATCH /sites/{site_id}/gateways/{id}',
    remove: 'DELETE /sites/{site_id}/gateways/{id}',
  },
  columns: gatewayColumns,
  fields: [{ name: 'name', kind: 'text', isRequired: true }],
}

/** Gateways of all sites (G4). The list opens their details below their sites; other screens only know their ids. */
export const allGateways: Collection = {
  ...base,
  address: '/gateways',
  opens: ({ site_id, id }) => `/sites/${site_id}/gateways/${id}`,
  routes: { list: 'GET /gateways', read: 'GET /gateways/{id}' },
  columns: [...gatewayColumns.slice(0, 1), { field: 'site_id', to: 'sites' }, ...gatewayColumns.slice(1)],
  filters: [
    { name: 'site_id', to: 'sites' },
    { name: 'online', flag: true },
  ],
}
