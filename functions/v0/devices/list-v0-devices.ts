import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { V0Device } from '#shared/v0/devices/device.ts'
import * as devices from '#shared/v0/devices/read-devices.ts'
import { v0List } from '#shared/v0/values/list-rows.ts'

export const listV0Devices = operation(
  {
    method: 'GET',
    path: '/v0/devices',
    summary: 'List the legacy devices',
    permission: 'v0:read',
    filters: {},
    response: v0List(V0Device),
  },
  ({ accountId, page, caller }) => devices.list(accountId, page, caller.account.v0_lists),
)

export const handler = lambda(listV0Devices)
