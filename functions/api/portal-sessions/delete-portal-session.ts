import * as portalSessions from '#shared/domain/portal-sessions/store.ts'
import { idOnly, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'DELETE /actors/{actor_id}/portal_sessions/{id}',
  { summary: 'End a portal session of an actor', permission: 'tokens:write', response: idOnly },
  ({ author, params }) => portalSessions.remove(author, params.actor_id, params.id),
)
