import { columnsOf, type Row } from '../../collection/collection.ts'
import { EndableRows } from '../../collection/endable-rows.tsx'
import { texts } from '../../texts/texts.ts'

const columns = columnsOf<'GET /actors/{actor_id}/portal_sessions'>()(
  'id code',
  'auth_provider_id code minor',
  'inserted_at time',
  'expires_at time',
)

/** Console sessions of a person, which can be ended one by one or all at once (G11). */
export const PortalSessions = ({ row }: { row: Row }) => (
  <EndableRows
    noun="portalSessions"
    list="GET /actors/{actor_id}/portal_sessions"
    path={{ actor_id: row.id }}
    columns={columns}
    scope="tokens"
    remove="DELETE /actors/{actor_id}/portal_sessions/{id}"
    all={{ remove: 'DELETE /actors/{actor_id}/portal_sessions', row }}
    verb={texts.actions.end}
    note={texts.confirm.sessionEnds}
  />
)
