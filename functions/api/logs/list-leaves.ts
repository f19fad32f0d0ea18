import { data, operation } from '#shared/http/lambda.ts'
import { hourStreams, logIdentifier, parseSealedLog } from '#shared/seal/log/sealed-log.ts'
import { LeavesAnswer, readLeafHashes } from '#shared/seal/sealed-answers.ts'

export const handler = operation(
  'GET /logs/checkpoints/{log}/leaves',
  {
    summary: 'Read leaf hashes of a sealed log',
    permission: 'logs:read',
    identifiers: { log: logIdentifier },
    parameters: {
      from: { type: 'integer' },
      to: { type: 'integer' },
      hour: { type: 'string', format: 'date-time' },
      stream: { type: 'string', enum: hourStreams },
    },
    refusals: ['invalid_log_query'],
    response: data(LeavesAnswer),
  },
  ({ accountId, params, query }) => readLeafHashes(accountId, parseSealedLog(params.log), query),
)
