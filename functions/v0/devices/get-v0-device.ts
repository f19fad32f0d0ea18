import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { V0Device } from '#shared/v0/devices/device.ts'
import * as devices from '#shared/v0/devices/read-devices.ts'

export const getV0Device = operation(
  {
    method: 'GET',
    path: '/v0/devices/{id}',
    summary: 'Read a legacy device',
    permission: 'v0:read',
    response: data(V0Device),
  },
  ({ accountId, params, caller }) => devices.get(accountId, params.id, caller.account.v0_lists),
)

export const handler = lambda(getV0Device)
