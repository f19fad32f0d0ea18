import * as portalSessions from '#shared/domain/portal-sessions/store.ts'
import { deletedCount, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'DELETE /actors/{actor_id}/portal_sessions',
  { summary: 'End all portal sessions of an actor', permission: 'tokens:write', response: deletedCount },
  ({ author, params }) => portalSessions.removeAll(author, params.actor_id),
)
