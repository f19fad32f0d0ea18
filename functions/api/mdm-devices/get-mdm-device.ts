import { MdmDevice } from '#shared/domain/mdm-devices/mdm-device.ts'
import * as mdmDevices from '#shared/domain/mdm-devices/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

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
