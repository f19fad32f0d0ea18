import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { clock } from '../../../core/clock.ts'
import { fieldsOf } from '../../../core/json/is-object.ts'
import type { GuardedFetch } from '../../../outside/guarded-fetch.ts'
import { ProviderFault } from '../../provider-fault.ts'
import type { Call } from '../call.ts'
import { exchange } from '../exchange.ts'
import { textOf } from '../rows-of.ts'
import { newTokenOf } from '../token-answer.ts'
import { type TokenSource, tokenSource } from '../token-source.ts'
import type { SuiteConnection } from './connection.ts'
import { scopesOf, suiteTokenFault } from './errors.ts'

/** Whom the assertion is for, wherever it is sent. */
const audience = 'https://oauth2.googleapis.com/token'
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

type Account = { email: string; keyId: string | null; key: KeyObject }

/** The fields of a service account's key that count; where it says its tokens come from is not asked. */
function accountOf(text: string): Account {
  try {
    const { client_email, private_key, private_key_id } = fieldsOf(JSON.parse(text))
    const [email, pem] = [textOf(client_email), textOf(private_key)]
    if (email && pem) return { email, keyId: textOf(private_key_id), key: createPrivateKey(pem) }
  } catch {
    // What is wrong with it could show a part of the key.
  }
  const sentence = 'service_account_key is not the JSON key of a service account with client_email and private_key.'
  throw new ProviderFault('fatal', sentence)
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The assertion of a service account that acts as an administrator (RFC 7523, 3). */
function assertion({ email, keyId, key }: Account, subject: string, scope: string): string {
  const issued = Math.floor(clock.now() / 1_000_000)
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId && { kid: keyId }) }
  const claims = { iss: email, sub: subject, scope, aud: audience, iat: issued, exp: issued + 3_600 }
  const signed = `${encoded(header)}.${encoded(claims)}`
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`
}

export function suiteTokens(connection: SuiteConnection, fetch: GuardedFetch): TokenSource {
  const { tokenUrl, serviceAccountKey, impersonationEmail, orgunitSyncEnabled } = connection
  const call: Call = { method: 'POST', url: new URL(tokenUrl) }
  return tokenSource(async () => {
    const text = assertion(accountOf(serviceAccountKey), impersonationEmail, scopesOf(orgunitSyncEnabled).join(' '))
    const body = new URLSearchParams({ grant_type: grantType, assertion: text })
    const answer = await exchange(call, () => fetch(call.url, { method: 'POST', body }), [text])
    if (answer.status !== 200) throw suiteTokenFault(orgunitSyncEnabled)(call, answer)
    return newTokenOf(call, answer)
  })
}
