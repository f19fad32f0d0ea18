import type { Operations } from '../../client/api-types.ts'
import type { Row } from '../../collection/collection.ts'
import { type Log, LogScreen } from '../../logs/log-screen.tsx'
import { ActionLink } from '../../parts/controls.tsx'
import { optionOf, texts } from '../../texts/texts.ts'

type Refusal = Operations['GET /access/refusals']['answer']['data'][number]

/** Reasons of a refused authorization (K11.G9). */
const reasons = [
  'unknown_resource',
  'not_connectable',
  'no_policy',
  'conditions_violated',
  'gateway_offline',
  'version_mismatch',
]

/** Address of the access explorer with the circumstances of a refusal (K8.6). */
export function explorerAddress({ actor_id, resource_id, client_id, last_at, ip, ip_region }: Refusal): string {
  const query = { actor: actor_id, resource: resource_id, client: client_id, at: last_at, ip, region: ip_region }
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== null)
  return `/access?${new URLSearchParams(pairs)}`
}

const refusals: Log = {
  noun: 'refusals',
  address: '/refusals',
  list: 'GET /access/refusals',
  query: {},
  filters: [
    { name: 'actor', sends: 'actor_id', to: 'actors' },
    { name: 'client', sends: 'client_id', to: 'clients' },
    { name: 'resource', sends: 'resource_id', to: 'resources' },
    { name: 'reason', options: reasons },
  ],
  columns: [
    { field: 'last_at', kind: 'instant' },
    { field: 'actor', to: 'actors' },
    { field: 'resource_id', to: 'resources' },
    { field: 'reasons', kind: 'list' },
    { field: 'count' },
    { field: 'client', to: 'clients' },
    { field: 'origin', minor: true },
  ],
  toRow: (refusal: Refusal): Row => ({
    ...refusal,
    id: `${refusal.hour} ${refusal.client_id} ${refusal.resource_id} ${refusal.reason}`,
    actor: refusal.actor_id,
    client: refusal.client_id,
    reasons: [optionOf('reason', refusal.reason), ...refusal.violated.map((one) => optionOf('property', one))],
    origin: [refusal.ip, refusal.ip_region].filter(Boolean).join(' '),
  }),
  actions: (row) => (
    <ActionLink to={explorerAddress(row as unknown as Refusal)} tone="quiet">
      {texts.explorer.explain}
    </ActionLink>
  ),
  hint: texts.logs.refusalsHint,
}

export const RefusalsScreen = () => <LogScreen log={refusals} />
