import { list } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { MdmDevice } from '#shared/mdm-devices/mdm-device.ts'
import * as mdmDevices from '#shared/mdm-devices/store.ts'
import { operation } from '#shared/operation.ts'

export const listMdmDevices = operation(
  {
    method: 'GET',
    path: '/mdm_devices',
    summary: 'List the managed devices',
    permission: 'mdm:read',
    feature: 'device_posture',
    filters: {},
    response: list(MdmDevice),
  },
  ({ accountId, page }) => mdmDevices.list(accountId, page),
)

export const handler = lambda(listMdmDevices)
