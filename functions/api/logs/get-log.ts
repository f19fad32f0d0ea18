import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { LogEntry } from '#shared/logs/log-entry.ts'
import { getLog as read } from '#shared/logs/query-logs.ts'

export const getLog = operation(
  {
    method: 'GET',
    path: '/logs/{log_id}',
    summary: 'Read a log entry',
    permission: 'logs:read',
    refusals: ['invalid_log_query'],
    response: data(LogEntry),
  },
  ({ accountId, params }) => read(accountId, params.log_id),
)

export const handler = lambda(getLog)
