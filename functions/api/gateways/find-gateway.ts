import { Gateway } from '#shared/domain/gateways/gateway.ts'
import * as gateways from '#shared/domain/gateways/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

/** Reads a gateway of any site (K11.G4). */
export const handler = operation(
  'GET /gateways/{id}',
  { summary: 'Show a gateway of any site', permission: 'gateways:read', response: data(Gateway) },
  ({ accountId, params }) => gateways.get(accountId, null, params.id),
)
