import { data, operation } from '#shared/http/lambda.ts'
import { V0Device, V0DeviceChanges } from '#shared/v0/device.ts'
import * as devices from '#shared/v0/device-store.ts'

export const handler = operation(
  'PATCH /v0/devices/{id}',
  {
    summary: 'Change a legacy device',
    permission: 'v0:write',
    body: { envelope: 'device', fields: V0DeviceChanges },
    response: data(V0Device),
  },
  ({ author, params, draft, caller }) => devices.update(author, params.id, draft, caller.account.v0_lists),
)
