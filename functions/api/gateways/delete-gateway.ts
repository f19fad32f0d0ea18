import { Gateway } from '#shared/domain/gateways/gateway.ts'
import { removeGateway } from '#shared/domain/rules/delete-gateway.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getGateway } from './get-gateway.ts'

export const handler = operation(
  'DELETE /sites/{site_id}/gateways/{id}',
  {
    summary: 'Delete a gateway with its tokens and authorizations',
    permission: 'gateways:write',
    etagFrom: getGateway.operation,
    response: data(Gateway),
  },
  ({ author, params }) => removeGateway(author, params.site_id, params.id),
)
