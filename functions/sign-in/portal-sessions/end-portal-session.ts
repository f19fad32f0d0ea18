import * as v from 'valibot'
import * as portalSessions from '#shared/domain/portal-sessions/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const endPortalSession = operation(
  {
    method: 'DELETE',
    path: '/sign_in/session',
    summary: 'End the portal session that the token is of',
    credential: 'portal',
    response: data(v.object({ id: v.string() })),
  },
  ({ author, caller }) => portalSessions.end(author, caller.token.id),
)
export const handler = lambda(endPortalSession)
