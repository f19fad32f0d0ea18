import { data, operation } from '#shared/http/lambda.ts'
import { V0Device } from '#shared/v0/device.ts'
import * as devices from '#shared/v0/read-devices.ts'

export const handler = operation(
  'GET /v0/devices/{id}',
  { summary: 'Read a legacy device', permission: 'v0:read', response: data(V0Device) },
  ({ accountId, params, caller }) => devices.get(accountId, params.id, caller.account.v0_lists),
)
