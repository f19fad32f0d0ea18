import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { logIdentifier, sealedLogOf } from '#shared/seal/log/sealed-log.ts'
import { CheckpointAnswer, newestCheckpoint } from '#shared/seal/sealed-answers.ts'

export const getCheckpoint = operation(
  {
    method: 'GET',
    path: '/logs/checkpoints/{log}',
    summary: 'Read the newest checkpoint of a sealed log',
    permission: 'logs:read',
    identifiers: { log: logIdentifier },
    response: data(CheckpointAnswer),
  },
  ({ accountId, params, address }) => newestCheckpoint(accountId, sealedLogOf(params.log), address),
)

export const handler = lambda(getCheckpoint)
