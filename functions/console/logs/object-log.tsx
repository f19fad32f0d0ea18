import { type ReactNode, useState } from 'react'
import { useRead } from '../client/queries.ts'
import type { Collection, Row } from '../collection/collection.ts'
import { Pager } from '../collection/row-table.tsx'
import { ActionLink } from '../parts/controls.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { FlowRows, toFlowRow } from '../screens/flows/flow-rows.tsx'
import { type Noun, texts } from '../texts/texts.ts'
import { ChangeList } from './change-list.tsx'
import type { Change, Flow } from './entries.ts'

type PagesProps = {
  noun: Noun
  query: Record<string, unknown>
  render: (entries: unknown[]) => ReactNode
  address: string
}

/** Pages of the entries that concern an object, newest first, with a link to the screen of the log. */
function LogPages({ noun, query, render, address }: PagesProps) {
  const [cursor, setCursor] = useState<string>()
  const paged = { ...query, limit: 50, total_limit: 0, ...(cursor && { page_cursor: cursor }) }
  const read = useRead('GET /logs', { query: paged, keep: true })
  if (read.isLoading) return <Loading rows={4} />
  if (!read.data) return read.error && <Failed problem={read.error} onRetry={() => void read.refetch()} />
  const { data, metadata } = read.data.answer
  const { prev_page, next_page } = metadata
  return (
    <>
      <div className="part-tools">
        <ActionLink to={address}>{texts.logs.openLog}</ActionLink>
      </div>
      {data.length === 0 ? <Empty title={texts.none(noun)} /> : render(data)}
      <Pager
        shown={data.length}
        total={null}
        onPrevious={prev_page ? () => setCursor(prev_page) : null}
        onNext={next_page ? () => setCursor(next_page) : null}
      />
    </>
  )
}

/** Changes of an object, also those of a deleted one, by its id (L2.8). */
export const HistoryPart = ({ row }: { row: Row }) => (
  <LogPages
    noun="changes"
    query={{ type: 'change', object_id: row.id }}
    render={(entries) => <ChangeList changes={entries as Change[]} />}
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
    <LogPages
      noun="flows"
      query={{ type: 'flow', [sent]: row.id }}
      render={(entries) => <FlowRows rows={(entries as Flow[]).map(toFlowRow)} />}
      address={`/flows?${name}=${row.id}`}
    />
  )
}
