import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { clock } from '../../core/clock.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { ProviderFault } from '../adapter.ts'
import type { AnsweredCall, ResponseFields, TokenSource } from './call.ts'
import { faultClassifier, providerRefusals, tokenFaultClassifier } from './faults.ts'
import { textOrNull } from './rows.ts'
import { formTokenSource } from './tokens.ts'

/** Settings and credentials of a suite directory (A26.1). */
export type SuiteConnection = {
  tokenUrl: string
  apiUrl: string
  issuer: string
  serviceAccountKey: string
  impersonationEmail: string
  /** Domain to read; null to read all domains of the customer. */
  domain: string | null
  groupSyncMode: 'all' | 'filtered' | 'disabled'
  orgunitSyncEnabled: boolean
}

/** Audience of the assertion, which does not depend on the configured token URL. */
const audience = 'https://oauth2.googleapis.com/token'
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

type Account = { email: string; keyId: string | null; key: KeyObject }

/** Parses a service account key. Ignores `token_uri`, because tokens are requested from the configured URL. */
function parseAccount(text: string): Account {
  try {
    const { client_email, private_key, private_key_id } = fieldsOf(JSON.parse(text))
    const [email, pem] = [textOrNull(client_email), textOrNull(private_key)]
    if (email && pem) return { email, keyId: textOrNull(private_key_id), key: createPrivateKey(pem) }
  } catch {
    // Discards the error, because it could contain part of the key.
  }
  const sentence = 'service_account_key is not the JSON key of a service account with client_email and private_key.'
  throw new ProviderFault('fatal', sentence)
}

const encodeJson = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs the assertion with which a service account acts on behalf of an administrator (RFC 7523, 3). */
function assertion({ email, keyId, key }: Account, subject: string, scope: string): string {
  const issued = Math.floor(clock.now() / 1_000_000)
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId && { kid: keyId }) }
  const claims = { iss: email, sub: subject, scope, aud: audience, iat: issued, exp: issued + 3_600 }
  const signed = `${encodeJson(header)}.${encodeJson(claims)}`
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`
}

const prefix = 'https://www.googleapis.com/auth/'

const scopesOf = (orgunits: boolean): string[] =>
  ['user', 'group', ...(orgunits ? ['orgunit'] : [])].map((what) => `${prefix}admin.directory.${what}.readonly`)

const delegation = (orgunits: boolean) =>
  `${scopesOf(orgunits).join(', ')} must be delegated to the service account in the Admin console`

const errorsOf = ({ error }: ResponseFields) => {
  const { errors } = fieldsOf(error)
  return (Array.isArray(errors) ? errors : []).map(fieldsOf)
}
const reasonsOf = (body: ResponseFields) => errorsOf(body).map(({ reason }) => String(reason))

const isUsageLimit = (body: ResponseFields) =>
  errorsOf(body).some(({ domain }) => domain === 'usageLimits') ||
  reasonsOf(body).some((reason) => /^(userRateLimitExceeded|rateLimitExceeded|quotaExceeded)$/.test(reason))

const lacksScope = ({ answer, body }: AnsweredCall) =>
  reasonsOf(body).includes('insufficientPermissions') ||
  /ACCESS_TOKEN_SCOPE_INSUFFICIENT/.test(JSON.stringify(answer.json))

function wordsOf(body: ResponseFields): unknown[] {
  const { status, message } = fieldsOf(body.error)
  return [reasonsOf(body)[0] ?? status, message]
}

export const suiteFault = (orgunits: boolean) =>
  faultClassifier(wordsOf, [
    {
      status: [401],
      is: 'token_expired',
      advice: 'the service account and the impersonated administrator must be active',
    },
    { status: [403], when: ({ body }) => isUsageLimit(body), is: 'retry' },
    { status: [403], when: lacksScope, is: 'fatal', advice: delegation(orgunits) },
    { status: [403], when: ({ call }) => call.nested === true, is: 'object_gone', reason: 'foreign_group' },
    {
      status: [403],
      is: 'fatal',
      advice: 'impersonation_email must be an administrator who can read users, groups and organisational units',
    },
    {
      status: [404],
      when: ({ call, body }) =>
        /\/(groups|users)\/[^/]+/.test(call.url.pathname) && !reasonsOf(body).includes('domainNotFound'),
      is: 'object_gone',
    },
    { status: [404], is: 'fatal', advice: 'domain must be a domain of the customer' },
  ])

/** Classifies token errors. The provider refuses the whole token if a single scope is not delegated. */
const tokenFault = (orgunits: boolean) =>
  tokenFaultClassifier([
    {
      status: providerRefusals,
      when: ({ body }) => ['unauthorized_client', 'access_denied', 'invalid_scope'].includes(String(body.error)),
      is: 'fatal',
      advice: delegation(orgunits),
    },
    {
      status: providerRefusals,
      is: 'fatal',
      advice: 'service_account_key must be an existing key, and impersonation_email an active administrator',
    },
  ])

export function suiteTokens(connection: SuiteConnection, fetch: GuardedFetch): TokenSource {
  const { tokenUrl, serviceAccountKey, impersonationEmail, orgunitSyncEnabled } = connection
  return formTokenSource(tokenUrl, fetch, tokenFault(orgunitSyncEnabled), () => {
    const text = assertion(parseAccount(serviceAccountKey), impersonationEmail, scopesOf(orgunitSyncEnabled).join(' '))
    return { form: { grant_type: grantType, assertion: text }, secret: text }
  })
}
