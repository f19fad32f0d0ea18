import { operation } from '#shared/http/lambda.ts'
import { V0Device } from '#shared/v0/device.ts'
import { v0List } from '#shared/v0/list-rows.ts'
import * as devices from '#shared/v0/read-devices.ts'

export const handler = operation(
  'GET /v0/devices',
  { summary: 'List the legacy devices', permission: 'v0:read', filters: {}, response: v0List(V0Device) },
  ({ accountId, page, caller }) => devices.list(accountId, page, caller.account.v0_lists),
)
