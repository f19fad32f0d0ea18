import { data, operation } from '#shared/http/lambda.ts'
import { readTopValues, TopAnswer } from '#shared/logs/traffic-answers.ts'
import { topParameters } from '#shared/logs/traffic-query.ts'

export const handler = operation(
  'GET /logs/top',
  {
    summary: 'List the values with the most flows or bytes',
    permission: 'logs:read',
    parameters: topParameters,
    refusals: ['invalid_log_query'],
    response: data(TopAnswer),
  },
  ({ accountId, query }) => readTopValues(accountId, query),
)
