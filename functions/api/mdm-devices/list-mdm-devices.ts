import { MdmDevice } from '#shared/domain/mdm-devices/mdm-device.ts'
import * as mdmDevices from '#shared/domain/mdm-devices/store.ts'
import { list } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

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
