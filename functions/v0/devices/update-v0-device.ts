import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { V0Device, V0DeviceChanges } from '#shared/v0/devices/device.ts'
import * as devices from '#shared/v0/devices/store.ts'

export const updateV0Device = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/v0/devices/{id}',
    summary: 'Change a legacy device',
    permission: 'v0:write',
    body: { envelope: 'device', fields: V0DeviceChanges },
    response: data(V0Device),
  },
  ({ author, params, draft, caller }) => devices.update(author, params.id, draft, caller.account.v0_lists),
)

export const handler = lambda(updateV0Device)
