import type { Operations } from '../../client/api-types.ts'
import { type Row, toColumns } from '../../collection/collection.ts'
import { type Log, LogScreen } from '../../logs/log-screen.tsx'
import { ActionLink } from '../../parts/controls.tsx'
import { optionOf, optionsOf, texts } from '../../texts/texts.ts'

type Refusal = Operations['GET /access/refusals']['answer']['data'][number]

/** Address of the access explorer with the circumstances of a refusal (K8.6). */
export function explorerAddress({ actor_id, resource_id, client_id, last_at, ip, ip_region }: Refusal): string {
  const query = { actor: actor_id, resource: resource_id, client: client_id, at: last_at, ip, region: ip_region }
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== null)
  return `/access?${new URLSearchParams(pairs)}`
}

const refusals: Log = {
  noun: 'refusals',
  list: 'GET /access/refusals',
  query: {},
  filters: [
    { name: 'actor', sends: 'actor_id', to: 'actors' },
    { name: 'client', sends: 'client_id', to: 'clients' },
    { name: 'resource', sends: 'resource_id', to: 'resources' },
    { name: 'reason', options: optionsOf('reason') },
  ],
  columns: toColumns(
    'last_at instant, actor @actors, resource_id @resources, reasons list, count, client @clients, origin minor',
  ),
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
