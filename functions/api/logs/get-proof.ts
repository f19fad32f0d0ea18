import { data, operation } from '#shared/http/lambda.ts'
import { ProofAnswer, readProof } from '#shared/seal/entry-proof.ts'

export const handler = operation(
  'GET /logs/{log_id}/proof',
  {
    summary: 'Prove that a log entry is in a sealed log',
    permission: 'logs:read',
    identifiers: {
      log_id: {
        type: 'string',
        pattern: '^[0-9a-fA-F]{24}$',
        description: 'Id of the log entry: 24 hexadecimal characters.',
        examples: ['c6f2b5c4d8e17a3900000000'],
      },
    },
    parameters: { size: { type: 'integer' } },
    refusals: ['invalid_log_query', 'not_sealed_yet'],
    response: data(ProofAnswer),
  },
  ({ accountId, params, query }) => readProof(accountId, params.log_id, query),
)
