import { Evaluation, EvaluationFields, evaluateAccess as evaluate } from '#shared/access/evaluate-access.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /access/evaluate',
  {
    summary: 'Evaluate an access decision and its reasons',
    permission: 'policies:read',
    body: { envelope: null, fields: EvaluationFields },
    response: data(Evaluation),
    status: 200,
  },
  ({ caller, draft }) => evaluate(caller.account, draft),
)
