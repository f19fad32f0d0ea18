import { data, operation } from '#shared/http/lambda.ts'
import { logIdentifier, parseSealedLog } from '#shared/seal/log/sealed-log.ts'
import { ConsistencyAnswer, readConsistency } from '#shared/seal/sealed-answers.ts'

export const handler = operation(
  'GET /logs/checkpoints/{log}/consistency',
  {
    summary: 'Prove that a checkpoint extends an earlier one',
    permission: 'logs:read',
    identifiers: { log: logIdentifier },
    parameters: { from: { type: 'integer' }, to: { type: 'integer' } },
    refusals: ['invalid_log_query'],
    response: data(ConsistencyAnswer),
  },
  ({ accountId, params, query }) => readConsistency(accountId, parseSealedLog(params.log), query),
)
