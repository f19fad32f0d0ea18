import { descriptionForLog } from '../providers/error-description.ts'
import type { App } from '../providers/provider-app.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'

/**
 * Errors about the person: they stopped, or the provider does not let them in (RFC 6749, 4.1.2.1; OpenID Connect Core,
 * 3.1.2.6). Only a subcode can separate the two.
 */
const declined = [
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]

const codeOf = (text: string): string => (/^[A-Za-z0-9_.-]{1,64}$/.test(text) ? text : 'unnamed')

/** Checks that the answer has a code and no error. @throws SignInRefused */
export async function checkAnswer(query: URLSearchParams, app: App): Promise<void> {
  const error = query.get('error')
  if (error !== null) {
    const subcode = query.get('error_subcode')
    const text = query.get('error_description')
    const description = text && descriptionForLog(text, { clientId: app.clientId, secret: await app.secret() })
    throw new SignInRefused(declined.includes(error) ? 'declined' : 'provider_refused', null, {
      at: 'authorization',
      error: codeOf(error),
      ...(subcode !== null && { subcode: codeOf(subcode) }),
      ...(description && { description }),
    })
  }
  if (query.getAll('code').length !== 1) throw new SignInRefused('provider_answer', null, { at: 'authorization' })
}
