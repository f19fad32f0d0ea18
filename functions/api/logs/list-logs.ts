import * as v from 'valibot'
import { operation } from '#shared/http/lambda.ts'
import { LogEntry } from '#shared/logs/entries/log-entry.ts'
import { type LogStream, logStreams } from '#shared/logs/entries/log-id.ts'
import { changeFilterParameters, flowFilterParameters, maxTotalLimit } from '#shared/logs/log-query.ts'
import { LogMetadata, listLogs as query } from '#shared/logs/query-logs.ts'

const time = { type: 'string', format: 'date-time' }

const withType = (type: LogStream, parameters: Record<string, { description: string }>) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, { description, ...schema }]) => [
      name,
      { ...schema, description: `${description} Requires \`type=${type}\`.` },
    ]),
  )

export const handler = operation(
  'GET /logs',
  {
    summary: 'List log entries, newest first',
    permission: 'logs:read',
    waitForRequestLog: true,
    parameters: {
      type: { type: 'string', enum: logStreams },
      begin: time,
      end: time,
      actor_id: { type: 'string', format: 'uuid' },
      actor_email: { type: 'string' },
      object_id: {
        type: 'string',
        format: 'uuid',
        description: 'Only changes of the object with this id (its history). Requires no `type`, or `type=change`.',
      },
      ...withType('flow', flowFilterParameters),
      ...withType('change', changeFilterParameters),
      total_limit: {
        type: 'integer',
        minimum: 0,
        maximum: maxTotalLimit,
        description:
          'Number up to which the first page counts entries. If at least that many match, `total` and `count` have this value. If absent, they are the number of entries of the first page, and more match only if it has a `next_page`.',
      },
      limit: { type: 'integer' },
      page_cursor: { type: 'string' },
    },
    refusals: ['invalid_log_query'],
    response: v.object({ data: v.array(LogEntry), metadata: LogMetadata }),
  },
  ({ caller, query: search }) => query(caller.account, search),
)
