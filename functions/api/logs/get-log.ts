import { data, operation } from '#shared/http/lambda.ts'
import { LogEntry } from '#shared/logs/entries/log-entry.ts'
import { getLog as read } from '#shared/logs/query-logs.ts'

export const handler = operation(
  'GET /logs/{log_id}',
  {
    summary: 'Read a log entry',
    permission: 'logs:read',
    identifiers: {
      log_id: {
        type: 'string',
        pattern: '^[0-9a-fA-F]{24}$',
        description: 'Id of the log entry: 24 hexadecimal characters.',
        examples: ['06f2b5c4d8e17a3900000000'],
      },
    },
    refusals: ['invalid_log_query'],
    response: data(LogEntry),
  },
  ({ accountId, params }) => read(accountId, params.log_id),
)
