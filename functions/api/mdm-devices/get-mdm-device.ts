import { data } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { MdmDevice } from '#shared/mdm-devices/mdm-device.ts'
import * as mdmDevices from '#shared/mdm-devices/store.ts'
import { operation } from '#shared/operation.ts'

export const getMdmDevice = operation(
  {
    method: 'GET',
    path: '/mdm_devices/{id}',
    summary: 'Show a managed device',
    permission: 'mdm:read',
    feature: 'device_posture',
    response: data(MdmDevice),
  },
  ({ accountId, params }) => mdmDevices.get(accountId, params.id),
)

export const handler = lambda(getMdmDevice)
