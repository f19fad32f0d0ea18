import { fieldsOf } from '../../../core/json/is-object.ts'
import type { ProviderFault } from '../../provider-fault.ts'
import type { Answer, Call } from '../call.ts'
import { commonFault, faultOf, told } from '../fault-of.ts'

export function mdmFault(call: Call, answer: Answer): ProviderFault {
  const { error, detail, message } = fieldsOf(answer.json)
  const said = told(answer, error ?? detail ?? message)
  if (answer.status === 401) {
    return faultOf('fatal', call, answer, said, {
      advice: 'api_token is not taken: it has to be one that is still there',
    })
  }
  // The token may not read one of the lists beside that of the devices: nothing else depends on it (I7.2).
  const isBeside = call.url.pathname.includes('/prism/')
  if (isBeside && (answer.status === 403 || answer.status === 404)) return faultOf('object_gone', call, answer, said)
  if (answer.status === 403) {
    return faultOf('fatal', call, answer, said, { advice: 'api_token lacks the permission Device list' })
  }
  if (answer.status === 404) {
    return faultOf('fatal', call, answer, said, {
      advice: 'subdomain and region have to be those of the device service',
    })
  }
  return commonFault(call, answer, said)
}
