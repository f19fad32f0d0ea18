import * as v from 'valibot'
import { Gateway, NewGatewayFields } from '#shared/domain/gateways/gateway.ts'
import * as gateways from '#shared/domain/gateways/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /sites/{site_id}/gateways',
  {
    summary: 'Create a gateway with its own token',
    permission: 'gateways:write',
    body: { envelope: 'gateway', optional: true, fields: NewGatewayFields },
    refusals: ['address_space_exhausted'],
    response: data(v.object({ ...Gateway.entries, token: v.string() })),
    location: true,
    secret: true,
  },
  ({ author, params, input }) => gateways.create(author, params.site_id, input),
)
