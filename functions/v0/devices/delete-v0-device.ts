import { nothing } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import * as devices from '#shared/v0/devices/store.ts'

export const deleteV0Device = operation(
  {
    method: 'DELETE',
    path: '/v0/devices/{id}',
    summary: 'Delete a legacy device',
    permission: 'v0:write',
    response: nothing,
    status: 204,
  },
  ({ author, params }) => devices.remove(author, params.id),
)

export const handler = lambda(deleteV0Device)
