import { data, operation } from '#shared/http/lambda.ts'
import { logIdentifier, parseSealedLog } from '#shared/seal/log/sealed-log.ts'
import { CheckpointAnswer, readNewestCheckpoint } from '#shared/seal/sealed-answers.ts'

export const handler = operation(
  'GET /logs/checkpoints/{log}',
  {
    summary: 'Read the newest checkpoint of a sealed log',
    permission: 'logs:read',
    identifiers: { log: logIdentifier },
    response: data(CheckpointAnswer),
  },
  ({ accountId, params, address }) => readNewestCheckpoint(accountId, parseSealedLog(params.log), address),
)
