import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { V0Device, V0DeviceFields } from '#shared/v0/devices/device.ts'
import * as devices from '#shared/v0/devices/store.ts'

export const createV0Device = operation(
  {
    method: 'POST',
    path: '/v0/devices',
    summary: 'Create a legacy device',
    permission: 'v0:write',
    body: { envelope: 'device', fields: V0DeviceFields },
    response: data(V0Device),
    status: 201,
    location: ({ data }) => `/v0/devices/${data.id}`,
  },
  ({ author, draft, caller }) => devices.create(author, draft, caller.account.v0_lists),
)

export const handler = lambda(createV0Device)
