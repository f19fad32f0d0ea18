import { MdmDevice } from '#shared/domain/mdm-devices/mdm-device.ts'
import * as mdmDevices from '#shared/domain/mdm-devices/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /mdm_devices/{id}',
  { summary: 'Show a managed device', permission: 'mdm:read', response: data(MdmDevice) },
  ({ accountId, params }) => mdmDevices.get(accountId, params.id),
)
