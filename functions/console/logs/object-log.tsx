import type { ReactNode } from 'react'
import { useRead } from '../client/queries.ts'
import type { Collection, Row } from '../collection/collection.ts'
import { PagedRows } from '../collection/related-rows.tsx'
import { ActionLink } from '../parts/controls.tsx'
import { ReadState } from '../parts/states.tsx'
import { FlowRows } from '../screens/flows/flow-rows.tsx'
import { type Noun, texts } from '../texts/texts.ts'
import { ChangeList } from './change-list.tsx'
import type { Change, Entry } from './entries.ts'

type EntriesProps = { noun: Noun; query: Record<string, unknown>; render: (rows: Row[]) => ReactNode; address: string }

const toRow = (entry: Entry): Row => ({ ...entry, id: entry.log_id })

/** Entries that concern an object, newest first, with a link to the screen of the log. */
const ObjectEntries = ({ noun, query, render, address }: EntriesProps) => (
  <PagedRows
    noun={noun}
    list="GET /logs"
    path={{}}
    query={{ ...query, total_limit: 0 }}
    toRow={toRow}
    render={render}
    tools={<ActionLink to={address}>{texts.logs.openLog}</ActionLink>}
  />
)

/** Changes of an object, also those of a deleted one, by its id (L2.8). */
export const HistoryPart = ({ row }: { row: Row }) => (
  <ObjectEntries
    noun="changes"
    query={{ type: 'change', object_id: row.id }}
    render={(rows) => <ChangeList changes={rows as unknown as Change[]} />}
    address={`/changes?object_id=${row.id}`}
  />
)

/** Filters of flows by the kind of an object: in requests, and in the address of the screen. */
const flowFilters: Record<string, [sent: string, name: string]> = {
  resources: ['resource_id', 'resource'],
  policies: ['policy_id', 'policy'],
  actors: ['actor_id', 'actor'],
  gateways: ['device_id', 'gateway'],
  clients: ['device_id', 'client'],
}

export function FlowsPart({ row, collection }: { row: Row; collection: Collection }) {
  const [sent, name] = flowFilters[collection.noun] ?? ['resource_id', 'resource']
  return (
    <ObjectEntries
      noun="flows"
      query={{ type: 'flow', [sent]: row.id }}
      render={(rows) => <FlowRows rows={rows} />}
      address={`/flows?${name}=${row.id}`}
    />
  )
}

/** The ten last changes of the account. */
export function RecentChanges() {
  const read = useRead('GET /logs', { path: {}, query: { type: 'change', limit: 10, total_limit: 0 } })
  if (!read.data) return <ReadState read={read} rows={6} />
  const { data } = read.data.answer
  return data.length > 0 ? <ChangeList changes={data as Change[]} /> : <p className="minor">{texts.none('changes')}</p>
}
