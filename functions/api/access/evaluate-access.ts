import { evaluateAccess as evaluate } from '#shared/access/evaluate-access.ts'
import { Evaluation, EvaluationFields } from '#shared/access/evaluation-fields.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const evaluateAccess = operation(
  {
    method: 'POST',
    path: '/access/evaluate',
    summary: 'Say what would be decided, and why',
    permission: 'policies:read',
    body: { envelope: null, fields: EvaluationFields },
    response: data(Evaluation),
  },
  ({ caller, draft }) => evaluate(caller.account, draft),
)

export const handler = lambda(evaluateAccess)
