import { accessList } from '#shared/access/access-list.ts'
import { listPortalSessions } from '#shared/access/list-portal-sessions.ts'
import { PortalSession } from '#shared/domain/portal-sessions/portal-session.ts'
import { operation } from '#shared/http/lambda.ts'

/** Lists the portal sessions of an administrator (K11.G11). */
export const handler = operation(
  'GET /actors/{actor_id}/portal_sessions',
  {
    summary: 'List the portal sessions of an actor',
    permission: 'tokens:read',
    filters: {},
    response: accessList(PortalSession),
  },
  ({ accountId, params, page }) => listPortalSessions(accountId, params.actor_id, page),
)
