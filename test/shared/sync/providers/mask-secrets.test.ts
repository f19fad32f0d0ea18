import fc from 'fast-check'
import { expect, it } from 'vitest'
import { exchange } from '#shared/sync/providers/call.ts'
import { excerptForOperator } from '#shared/sync/providers/faults.ts'
import { idpFault } from '#shared/sync/providers/idp-token.ts'
import { maskSecrets } from '#shared/sync/providers/mask-secrets.ts'
import { suiteFault } from '#shared/sync/providers/suite-token.ts'

const json = (text: string) => JSON.stringify(text).slice(1, -1)
const ofForm = (text: string) => new URLSearchParams({ v: text }).toString().slice(2)

const spellings: Record<string, (secret: string) => string> = {
  'in plain text': (secret) => secret,
  'in a URL': encodeURIComponent,
  'in a URL with lower-case digits': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (found) => found.toLowerCase()),
  'in a form': ofForm,
  'in JSON': json,
  'in JSON with escaped slashes': (secret) => json(secret).replaceAll('/', '\\/'),
  'in JSON of ASCII': (secret) =>
    [...Array(secret.length).keys()].map((i) => `\\u${secret.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64url behind a name': (secret) => Buffer.from(`app:${secret}`).toString('base64url'),
  'in base64 of a form behind a name': (secret) => Buffer.from(`app:${ofForm(secret)}`).toString('base64'),
  'in base64 before something': (secret) => Buffer.from(`ab${secret}; more`).toString('base64'),
}

const secretOf = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 60 })

it.each(Object.entries(spellings))('masks a secret %s', (_, spelled) => {
  fc.assert(
    fc.property(secretOf, fc.stringMatching(/^[.,;]{0,320}$/), (secret, before) => {
      const found = spelled(secret)
      fc.pre(found.length >= 12 && !before.includes(secret))
      const shown = maskSecrets(`${before}${found}`, [secret], 300)
      // Allows leftover base64 digits, because such digits also encode bits of the neighbouring bytes.
      const left = shown.replaceAll('[secret]', '').slice(before.length)
      expect(left.length).toBeLessThanOrEqual(found.length - secret.length)
      expect(shown).not.toContain(secret)
      if (before.length < 300) expect(shown).toContain('[secret]')
    }),
  )
})

it('masks a secret in a repeated form of a request', () => {
  const secret = 'Ab8~sec/ret+Z9=x'
  const answer = { secrets: [secret] }
  const echo = new URLSearchParams({ client_secret: secret }).toString()
  expect(excerptForOperator(answer, 'invalid_client', echo)).toBe('invalid_client: client_secret=[secret]')
})

it('shows no part of a secret at the end of a truncated text', () => {
  const secret = 'a-secret-of-some-length'
  const shown = excerptForOperator({ secrets: [secret] }, `${' '.repeat(290)}${secret}`, 'x'.repeat(1_000))
  expect(shown).toBe('[secret]…')
})

it('truncates an error of 20 MB like any other', () => {
  const shown = excerptForOperator({ secrets: ['t', 'a-secret-of-some-length'] }, 't€'.repeat(10_000_000))
  expect(shown).toBe(`${'t€'.repeat(149)}t…`)
})

const callOf = (path: string) => ({ url: new URL(`https://provider.example.com${path}`) })

it('classifies an error by its unmasked text', () => {
  const error = {
    code: 403,
    message: 'Slow down',
    errors: [{ domain: 'usageLimits', reason: 'userRateLimitExceeded' }],
  }
  const answer = { status: 403, headers: new Headers(), json: { error }, secrets: ['t', 'userRateLimitExceeded'] }
  expect(suiteFault(false)(callOf('/users'), answer)).toMatchObject({
    faultClass: 'retry',
    message: 'GET /users returned 403 ([secret]: Slow down).',
  })
})

it('returns an error without masking it', async () => {
  const sent = { error: 'invalid_client', error_description: 'client_secret=a-secret-of-some-length' }
  const send = async () => new Response(JSON.stringify(sent), { status: 401 })
  const secrets = ['t', 'a-secret-of-some-length']
  expect(await exchange(callOf('/token'), send, secrets)).toMatchObject({ status: 401, json: sent, secrets })
})

it('masks a secret in the scope of a challenge', () => {
  const headers = new Headers({ 'www-authenticate': 'DPoP error="insufficient_scope", scope="opaque-token-of-a-run"' })
  const answer = { status: 403, headers, json: {}, secrets: ['opaque-token-of-a-run'] }
  expect(idpFault(callOf('/api/v1/apps'), answer)).toMatchObject({
    message: 'GET /api/v1/apps returned 403: the service app lacks the scope [secret].',
  })
})
