import * as v from 'valibot'
import { Gateway } from '#shared/domain/gateways/gateway.ts'
import { NewGatewayFields } from '#shared/domain/gateways/gateway-fields.ts'
import * as gateways from '#shared/domain/gateways/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const createGateway = operation(
  {
    method: 'POST',
    path: '/sites/{site_id}/gateways',
    summary: 'Create a gateway with a token of its own',
    permission: 'gateways:write',
    body: { envelope: 'gateway', optional: true, fields: NewGatewayFields },
    refusals: ['address_space_exhausted'],
    response: data(v.object({ ...Gateway.entries, token: v.string() })),
    status: 201,
    location: ({ data }, params) => `/sites/${params.site_id}/gateways/${data.id}`,
    secret: true,
  },
  ({ author, params, input }) => gateways.create(author, params.site_id, input),
)

export const handler = lambda(createGateway)
