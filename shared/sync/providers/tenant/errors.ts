import { fieldsOf } from '../../../core/json/is-object.ts'
import type { ProviderFault } from '../../provider-fault.ts'
import type { Provider } from '../ask.ts'
import type { Answer, Call } from '../call.ts'
import { commonFault, faultOf, told } from '../fault-of.ts'
import { tokenErrorOf } from '../token-answer.ts'

/** What an administrator of the tenant can do about a code of the token endpoint (`identity-wire.md`, 1.3). */
const adviceOf: Record<number, string> = {
  7000229: 'the app registration has no consent in this tenant',
  65001: 'the app registration has no consent in this tenant',
  700016: 'client_id has to be an app registration of this tenant',
  90002: 'tenant_id has to be a tenant that is there',
  7000215: 'client_secret has to be the value of a secret of the app registration, not its id',
  7000222: 'client_secret has expired',
}

/** Codes of what passes by itself. */
const passing = new Set([90033, 90036, 50196])

/** Of the token endpoint, by its codes: its texts are written anew over and over. */
export function graphTokenFault(call: Call, answer: Answer): ProviderFault {
  const { error, description } = tokenErrorOf(answer)
  const { error_codes } = fieldsOf(answer.json)
  const codes = (Array.isArray(error_codes) ? error_codes : []).map(Number)
  const said = told(answer, error, description)
  if (error === 'temporarily_unavailable' || codes.some((code) => passing.has(code))) {
    return faultOf('again', call, answer, said)
  }
  if (answer.status === 400 || answer.status === 401 || answer.status === 403) {
    const known = codes.find((code) => adviceOf[code] !== undefined)
    const advice = known === undefined ? undefined : adviceOf[known]
    return faultOf('fatal', call, answer, said, { advice })
  }
  return commonFault(call, answer, said)
}

const isTokenEnded = (code: unknown): boolean => code === 'InvalidAuthenticationToken' || code === 'TokenExpired'

/** `rights`: what the app registration needs for what this adapter reads. */
export const graphFault =
  (rights: string[]) =>
  (call: Call, answer: Answer): ReturnType<Provider['faultOf']> => {
    const { code, message } = fieldsOf(fieldsOf(answer.json).error)
    const said = told(answer, code, message)
    const advice = `consent for ${rights.join(', ')} is missing, or was taken back`
    if (answer.status === 401) {
      // Device management says so where a right is missing, which no new token would change.
      if (!isTokenEnded(code)) return faultOf('fatal', call, answer, said, { advice })
      return { tokenEnded: faultOf('fatal', call, answer, said, { advice }) }
    }
    if (answer.status === 403) return faultOf('fatal', call, answer, said, { advice })
    if (answer.status === 404 && call.url.pathname.includes('/servicePrincipals')) {
      const gone = 'the app registration has no service principal in this tenant: its consent was taken back'
      return faultOf('fatal', call, answer, said, { advice: gone })
    }
    if (answer.status === 404 && /\/(groups|users)\/[^/]+/.test(call.url.pathname)) {
      return faultOf('object_gone', call, answer, said)
    }
    return commonFault(call, answer, said)
  }
