import { fieldsOf } from '../../../core/json/is-object.ts'
import type { ProviderFault } from '../../provider-fault.ts'
import type { Provider } from '../ask.ts'
import type { Answer, Call } from '../call.ts'
import { commonFault, faultOf, theirNow, told } from '../fault-of.ts'
import { tokenErrorOf } from '../token-answer.ts'

/** Rights that the service app needs (`identity-wire.md`, 1.2). */
export const scopes = ['okta.users.read', 'okta.groups.read', 'okta.apps.read']

const advice = {
  scopes: `a super administrator has to grant the service app ${scopes.join(', ')}`,
  role: 'the service app needs an administrator role that may view users, groups and applications',
  client: 'client_id and the public key registered for it have to be those of the directory',
  zone: 'a network zone or policy of the organisation refuses this service',
}

/** The wait until the limits of a bucket begin anew, by the provider's own clock. */
export function resetMs({ headers }: Answer): number | undefined {
  const reset = Number(headers.get('x-rate-limit-reset'))
  if (!(reset > 0)) return undefined
  // The header counts whole seconds.
  return Math.min(Math.max(reset * 1_000 - theirNow(headers), 0) + 1_000, 120_000)
}

const missingScope = ({ headers }: Answer): string | null => {
  const challenge = headers.get('www-authenticate') ?? ''
  return /insufficient_scope/.test(challenge) ? (/\bscope="([^"]{1,200})"/.exec(challenge)?.[1] ?? null) : null
}

export function idpFault(call: Call, answer: Answer): ReturnType<Provider['faultOf']> {
  const { errorCode, errorSummary } = fieldsOf(answer.json)
  const said = told(answer, errorCode, errorSummary)
  if (answer.status === 401) return { tokenEnded: faultOf('fatal', call, answer, said, { advice: advice.client }) }
  if (answer.status === 403) {
    const scope = missingScope(answer)
    return faultOf('fatal', call, answer, said, {
      advice: scope ? `the service app lacks the scope ${told(answer, scope)}` : advice.role,
    })
  }
  // A collection that is not there is no object that went.
  if (answer.status === 404 && call.url.pathname.split('/').length > 4)
    return faultOf('object_gone', call, answer, said)
  if (answer.status === 429) return faultOf('again', call, answer, said, { retryAfterMs: resetMs(answer) })
  return commonFault(call, answer, said)
}

/** Of the token endpoint: what it refuses, it refuses until an administrator has changed something. */
export function idpTokenFault(call: Call, answer: Answer): ProviderFault {
  const { error, description } = tokenErrorOf(answer)
  const said = told(answer, error, description)
  if (answer.status === 400 || answer.status === 401 || answer.status === 403) {
    const isScope = error === 'invalid_scope' || error === 'consent_required'
    const isZone = error === 'access_denied' || answer.status === 403
    return faultOf('fatal', call, answer, said, {
      advice: isScope ? advice.scopes : isZone ? advice.zone : advice.client,
    })
  }
  if (answer.status === 429) return faultOf('again', call, answer, said, { retryAfterMs: resetMs(answer) })
  return commonFault(call, answer, said)
}
