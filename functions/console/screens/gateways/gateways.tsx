import { type Collection, columnsOf, type Row } from '../../collection/collection.ts'
import { texts } from '../../texts/texts.ts'
import { GatewayTokenPart } from './gateway-token-part.tsx'

export const gatewayStates = ({ online, rotated_at }: Row) => [
  online ? { text: texts.badges.online, tone: 'good' as const } : { text: texts.badges.offline, tone: 'bad' as const },
  ...(rotated_at === null ? [] : [{ text: texts.badges.rotating, tone: 'warn' as const }]),
]

export const gatewayColumns = columnsOf<'GET /sites/{site_id}/gateways'>()([
  { field: 'name' },
  { field: 'last_seen_version' },
  { field: 'last_seen_remote_ip', kind: 'code', minor: true },
  { field: 'last_seen_at', kind: 'time' },
])

const facts = columnsOf<'GET /sites/{site_id}/gateways'>()([
  { field: 'last_seen_at', kind: 'time' },
  { field: 'last_seen_version' },
  { field: 'last_seen_user_agent' },
  { field: 'last_seen_remote_ip', kind: 'code' },
  { field: 'last_seen_remote_ip_location_region' },
  { field: 'last_seen_remote_ip_location_city' },
  { field: 'ipv4', kind: 'code' },
  { field: 'ipv6', kind: 'code' },
  { field: 'rotated_at', kind: 'time' },
  { field: 'public_key', kind: 'code' },
])

const base = {
  noun: 'gateways',
  scope: 'gateways',
  envelope: 'gateway',
  facts,
  fields: [],
  states: gatewayStates,
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
  hidesBlank: true,
  fields: [{ name: 'name', kind: 'text', isRequired: true }],
  parts: [
    { key: 'token', label: texts.labels.gatewayToken, noun: 'gateways', scope: 'tokens', render: GatewayTokenPart },
  ],
}

/** Gateways of all sites (G4). Their details are below their sites. */
export const allGateways: Collection = {
  ...base,
  address: '/gateways',
  opens: ({ site_id, id }) => `/sites/${site_id}/gateways/${id}`,
  routes: { list: 'GET /gateways' },
  columns: [...gatewayColumns.slice(0, 1), { field: 'site_id', to: 'sites' }, ...gatewayColumns.slice(1)],
  filters: [
    { name: 'site_id', to: 'sites' },
    { name: 'online', flag: true },
  ],
}
