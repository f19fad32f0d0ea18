import { fieldsOf } from '../../../core/json/is-object.ts'
import type { ProviderFault } from '../../provider-fault.ts'
import type { Provider } from '../ask.ts'
import type { Answer, Call } from '../call.ts'
import { commonFault, faultOf, told } from '../fault-of.ts'
import { tokenErrorOf } from '../token-answer.ts'

const prefix = 'https://www.googleapis.com/auth/'

/** Rights that have to be delegated to the service account (`identity-wire.md`, 1.1). */
export const scopesOf = (orgunits: boolean): string[] =>
  ['user', 'group', ...(orgunits ? ['orgunit'] : [])].map((what) => `${prefix}admin.directory.${what}.readonly`)

type Told = { reasons: string[]; isUsage: boolean; said: string }

/** What the API says of an error: its reasons, and whether it is only about how much is asked. */
function toldBy(answer: Answer): Told {
  const error = fieldsOf(fieldsOf(answer.json).error)
  const entries = (Array.isArray(error.errors) ? error.errors : []).map(fieldsOf)
  const reasons = entries.map(({ reason }) => String(reason))
  const isUsage =
    entries.some(({ domain }) => domain === 'usageLimits') ||
    reasons.some((reason) => /^(userRateLimitExceeded|rateLimitExceeded|quotaExceeded)$/.test(reason))
  return { reasons, isUsage, said: told(answer, reasons[0] ?? error.status, error.message) }
}

/** `nested`: the group that is asked for was found as a member of another, and may be another company's. */
export const suiteFault =
  (orgunits: boolean) =>
  (call: Call & { nested?: boolean }, answer: Answer): ReturnType<Provider['faultOf']> => {
    const { reasons, isUsage, said } = toldBy(answer)
    const lacksScope =
      reasons.includes('insufficientPermissions') || /ACCESS_TOKEN_SCOPE_INSUFFICIENT/.test(JSON.stringify(answer.json))
    if (answer.status === 401) {
      const advice = 'the service account and the impersonated administrator have to be active'
      return { tokenEnded: faultOf('fatal', call, answer, said, { advice }) }
    }
    if (answer.status === 403) {
      if (isUsage) return faultOf('again', call, answer, said)
      if (lacksScope) {
        const advice = `${scopesOf(orgunits).join(', ')} have to be delegated to the service account in the Admin console`
        return faultOf('fatal', call, answer, said, { advice })
      }
      if (call.nested) return faultOf('object_gone', call, answer, said, { reason: 'foreign_group' })
      const advice =
        'impersonation_email has to be an administrator who may read users, groups and organisational units'
      return faultOf('fatal', call, answer, said, { advice })
    }
    if (answer.status === 404) {
      const isObject = /\/(groups|users)\/[^/]+/.test(call.url.pathname) && !reasons.includes('domainNotFound')
      if (isObject) return faultOf('object_gone', call, answer, said)
      return faultOf('fatal', call, answer, said, { advice: 'domain has to be one of the customer' })
    }
    return commonFault(call, answer, said)
  }

/** Of the token endpoint: one right that is not delegated refuses the whole token. */
export const suiteTokenFault =
  (orgunits: boolean) =>
  (call: Call, answer: Answer): ProviderFault => {
    const { error, description } = tokenErrorOf(answer)
    const said = told(answer, error, description)
    if (answer.status === 400 || answer.status === 401 || answer.status === 403) {
      const advice =
        error === 'unauthorized_client' || error === 'access_denied' || error === 'invalid_scope'
          ? `${scopesOf(orgunits).join(', ')} have to be delegated to the service account in the Admin console`
          : 'service_account_key has to be a key that is still there, and impersonation_email an active administrator'
      return faultOf('fatal', call, answer, said, { advice })
    }
    return commonFault(call, answer, said)
  }
