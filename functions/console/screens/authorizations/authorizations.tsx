import { type Count, columnsOf, type OwnPart } from '../../collection/collection.ts'
import { EndableRows } from '../../collection/endable-rows.tsx'
import { labelOf, texts } from '../../texts/texts.ts'

const columns = columnsOf<'GET /authorizations'>()(
  'actor_id @actors',
  'client_id @clients',
  'resource_id @resources',
  'group_id @groups minor',
  'authorized_at time',
  'expires_at time',
).map((column) => (column.to ? { ...column, label: labelOf(column.field.replace('_id', '')) } : column))

type Filter = 'resource_id' | 'actor_id' | 'client_id' | 'policy_id' | 'gateway_id'

/** Number of the authorizations in force that a change can end (K7.2). */
export const authorizationCount = (filter: Filter): Count => ({
  noun: 'authorizations',
  scope: 'clients',
  list: 'GET /authorizations',
  query: ({ id }) => ({ [filter]: id }),
})

/** Part with the authorizations in force of an object, by the filter with its id (G10). */
export const authorizationsOf = (filter: Filter): OwnPart => ({
  key: 'authorizations',
  noun: 'authorizations',
  scope: 'clients',
  render: ({ row }) => (
    <EndableRows
      noun="authorizations"
      list="GET /authorizations"
      path={{}}
      query={{ [filter]: row.id }}
      columns={columns.filter(({ field }) => field !== filter)}
      scope="clients"
      remove="DELETE /authorizations/{id}"
      verb={texts.actions.end}
      note={texts.confirm.authorizationEnds}
    />
  ),
})
