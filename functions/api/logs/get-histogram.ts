import { data, operation } from '#shared/http/lambda.ts'
import { HistogramAnswer, readHistogram } from '#shared/logs/traffic-answers.ts'
import { trafficParameters } from '#shared/logs/traffic-query.ts'

export const handler = operation(
  'GET /logs/histogram',
  {
    summary: 'Count flows by the hour',
    permission: 'logs:read',
    parameters: trafficParameters,
    refusals: ['invalid_log_query'],
    response: data(HistogramAnswer),
  },
  ({ accountId, query }) => readHistogram(accountId, query),
)
