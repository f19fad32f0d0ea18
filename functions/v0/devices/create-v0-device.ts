import { data, operation } from '#shared/http/lambda.ts'
import { V0Device, V0DeviceFields } from '#shared/v0/device.ts'
import * as devices from '#shared/v0/device-store.ts'

export const handler = operation(
  'POST /v0/devices',
  {
    summary: 'Create a legacy device',
    permission: 'v0:write',
    body: { envelope: 'device', fields: V0DeviceFields },
    response: data(V0Device),
    location: true,
  },
  ({ author, draft, caller }) => devices.create(author, draft, caller.account.v0_lists),
)
