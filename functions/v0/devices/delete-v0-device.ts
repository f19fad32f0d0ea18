import { emptyAnswer, operation } from '#shared/http/lambda.ts'
import * as devices from '#shared/v0/device-store.ts'

export const handler = operation(
  'DELETE /v0/devices/{id}',
  { summary: 'Delete a legacy device', permission: 'v0:write', response: emptyAnswer, status: 204 },
  ({ author, params }) => devices.remove(author, params.id),
)
