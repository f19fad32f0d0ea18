import * as v from 'valibot'
import type { CallerOf } from '#shared/auth/caller.ts'
import { endSession } from '#shared/client-sessions/end-session.ts'
import { data } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'

export const endClientSession = operation(
  {
    method: 'DELETE',
    path: '/client/sessions/{id}',
    summary: 'End a client session',
    credential: 'client',
    response: data(v.object({ id: v.string() })),
  },
  ({ caller, params }) => endSession(caller as CallerOf<'client'>, params.id),
)

export const handler = lambda(endClientSession)
