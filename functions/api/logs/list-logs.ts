import { list, operation } from '#shared/http/lambda.ts'
import { LogEntry } from '#shared/logs/entries/log-entry.ts'
import { logStreams } from '#shared/logs/entries/log-id.ts'
import { countedByDefault, maxCounted } from '#shared/logs/log-query.ts'
import { listLogs as query } from '#shared/logs/query-logs.ts'

const time = { type: 'string', format: 'date-time' }

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
        description: 'Only changes of the object with this id: its history. With no `type`, or with `change`.',
      },
      total_limit: {
        type: 'integer',
        minimum: 0,
        maximum: maxCounted,
        default: countedByDefault,
        description: 'Up to where `total` and `count` are exact; with more entries both are this number.',
      },
      limit: { type: 'integer' },
      page_cursor: { type: 'string' },
    },
    refusals: ['invalid_log_query'],
    response: list(LogEntry),
  },
  ({ caller, query: search }) => query(caller.account, search),
)
