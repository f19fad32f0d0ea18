import * as v from 'valibot'
import { listResources } from '#shared/access/client-session.ts'
import { Resource } from '#shared/domain/resources/resource.ts'
import { operation } from '#shared/http/lambda.ts'
import { readCursor } from '#shared/values/page.ts'

export const handler = operation(
  'GET /client/sessions/{id}/resources',
  {
    summary: 'List what the client of a session can reach',
    credential: 'client',
    parameters: {
      page_cursor: {
        type: 'string',
        description: '`resources_cursor` of the session or its heartbeat, or `next_page` of an earlier response.',
      },
    },
    response: v.object({ data: v.array(Resource), metadata: v.object({ next_page: v.nullable(v.string()) }) }),
  },
  ({ caller, subject, params, query }) => listResources(caller, subject, params.id, readCursor(query)),
)
