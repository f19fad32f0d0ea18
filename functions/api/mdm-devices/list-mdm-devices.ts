import { MdmDevice } from '#shared/domain/mdm-devices/mdm-device.ts'
import * as mdmDevices from '#shared/domain/mdm-devices/store.ts'
import { list, operation } from '#shared/http/lambda.ts'
import { textFilter } from '#shared/values/filters.ts'

export const handler = operation(
  'GET /mdm_devices',
  {
    summary: 'List the managed devices',
    permission: 'mdm:read',
    filters: { serial_number: textFilter, email: textFilter },
    response: list(MdmDevice),
  },
  ({ accountId, page }) => mdmDevices.list(accountId, page),
)
