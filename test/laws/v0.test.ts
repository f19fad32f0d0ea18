import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { handler as otherRoute } from '#functions/v0/other-route.ts'
import { isV0 } from '#shared/http/v0-headers.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { type Entry, loadEntries } from '#test/support/operations/operations.ts'
import { sampleRequests } from '#test/support/operations/sample-requests.ts'

const entries = (await loadEntries()).filter(({ operation: { path } }) => isV0(path))
const param = (path: string) => /\{(\w+)\}/.exec(path)?.[1]
const withId = entries.flatMap((entry) => {
  const place = param(entry.operation.path)
  return place ? [{ ...entry, place }] : []
})
const withBody = entries.flatMap((entry) => {
  const envelope = entry.operation.body?.envelope
  return envelope ? [{ ...entry, envelope }] : []
})
const reads = entries.filter(({ operation }) => operation.method === 'GET')
const request = ({ operation: { method, path, body } }: Entry, id: string = randomUUID()) => ({
  method,
  path: path.replace(/\{\w+\}/, id),
  params: param(path) ? { [param(path) as string]: id } : undefined,
  body: body && { [body.envelope as string]: {} },
})

let ownAccount: Awaited<ReturnType<typeof newAccount>>
let sampled: Awaited<ReturnType<typeof sampleRequests>>
beforeAll(async () => {
  ownAccount = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
  sampled = await sampleRequests()
})

async function tokenWith(scopes: string[]): Promise<string> {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const api_token = { expires_at, scopes }
  const made = await provision({
    operation: 'create_api_token',
    token_in: 'answer',
    account_id: ownAccount.id,
    api_token,
  })
  return (made as { data: { api_token: { token: string } } }).data.api_token.token
}

describe.each(entries)('$name', (entry) => {
  const { operation } = entry
  const isRead = operation.method === 'GET'

  it('distinguishes a missing from an invalid token, before any other check', async () => {
    const broken = { ...request(entry), body: undefined, rawBody: '{"a":' }
    for (const authorization of [undefined, 'Basic abc', 'Bearer', 'Bearer ', 'Bearer:']) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
      const answer = await call(entry.handler, { ...broken, token: null, headers })
      expect([answer.status, answer.body], authorization).toEqual([401, { errors: { auth: 'unauthenticated' } }])
    }
    const wrong = [
      'x',
      `${ownAccount.token}A`,
      ownAccount.token.replace('naa_', 'nac_'),
      ownAccount.token.replace('naa_', 'nag_'),
      'a b',
    ]
    for (const token of wrong) {
      const answer = await call(entry.handler, { ...broken, token })
      expect([answer.status, answer.body], token).toEqual([401, { errors: { auth: 'invalid_token' } }])
    }
  })

  it('accepts the scheme in any case, followed by a colon', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer:', 'bearer:  ']) {
      const headers = { authorization: ` ${scheme} ${ownAccount.token} ` }
      const answer = await call(entry.handler, { ...request(entry), token: null, headers })
      expect(answer.status).not.toBe(401)
    }
  })

  it('has the scopes of section 3.2', async () => {
    expect(operation.permission).toBe(isRead ? 'v0:read' : 'v0:write')
    const may = (scope: string) => ['*', 'v0:write'].includes(scope) || (isRead && /:read$/.test(scope))
    for (const scope of ['*', 'v0:write', '*:read', 'v0:read']) {
      const answer = await call(entry.handler, { ...request(entry), token: await tokenWith([scope]) })
      if (may(scope)) expect(answer.status, scope).not.toBe(403)
      else expect([answer.status, answer.body], scope).toEqual([403, { error: 'forbidden' }])
    }
    const other = await call(entry.handler, { ...request(entry), token: await tokenWith(['actors:write']) })
    expect([other.status, other.body]).toEqual([403, { error: 'forbidden' }])
  })

  it('has the headers of the legacy API, even for an error', async () => {
    const answers = [
      await call(entry.handler, { ...request(entry), token: null }),
      await ownAccount.call(entry.handler, request(entry)),
      await sampled.send(entry.name, await sampled.samples[entry.name]?.()),
    ]
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        deprecation: '@1735689600',
        link: expect.stringMatching(/^<\/\w+>; rel="successor-version"$/),
        'x-request-id': expect.any(String),
      })
      expect(headers).not.toHaveProperty('etag')
      expect(headers).not.toHaveProperty('sunset')
    }
    expect(answers[2]?.status).toBe(operation.status)
  })

  it('has no preconditions and no idempotency keys', async () => {
    const headers = { 'if-match': '"x.y"', 'if-none-match': '*', 'idempotency-key': 'bad key with spaces' }
    const body = await sampled.samples[entry.name]?.()
    const plain = await sampled.send(entry.name, body)
    const again = await call(entry.handler, {
      ...request(entry),
      ...(await sampled.samples[entry.name]?.()),
      headers,
      token: sampled.account.token,
    })
    expect(again.status).toBe(plain.status)
    expect(again.headers).not.toHaveProperty('idempotent-replayed')
  })

  it('accepts other spellings of its path', async () => {
    const sample = await sampled.samples[entry.name]?.()
    const spelled = operation.path.slice('/v0/'.length).replace(/\{(\w+)\}/, (_, name) => sample?.params?.[name] ?? '')
    for (const proxy of [`/${spelled}`, `${spelled}/`, spelled.replace('/', '//')]) {
      const again = await sampled.samples[entry.name]?.()
      const id = Object.values(again?.params ?? {})[0]
      const path = id ? proxy.replace(Object.values(sample?.params ?? {})[0] ?? '', id) : proxy
      const answer = await call(otherRoute, {
        method: operation.method,
        path: `/v0/${path}`,
        ...again,
        params: { proxy: path },
        token: sampled.account.token,
      })
      expect(answer.status, path).toBe(operation.status)
    }
  })
})

describe.each(withId)('$name', (entry) => {
  const { operation, place } = entry

  it('returns 404 for an unknown or malformed id, and for one of another account', async () => {
    const sample = await sampled.samples[entry.name]?.()
    const foreign = sample?.params?.[place] as string
    for (const id of [randomUUID(), 'nonsense', '', foreign]) {
      const answer = await ownAccount.call(entry.handler, { ...request(entry, id), body: sample?.body })
      expect([answer.status, answer.body], id).toEqual([404, { error: 'not_found' }])
    }
  })

  it('accepts an id in any case', async () => {
    const sample = await sampled.samples[entry.name]?.()
    const id = sample?.params?.[place] ?? ''
    const params = { [place]: id.toUpperCase() }
    expect((await sampled.send(entry.name, { ...sample, params })).status).toBe(operation.status)
  })
})

describe.each(withBody)('the body of $name', (entry) => {
  const { operation, envelope } = entry

  it('refuses malformed JSON and a wrong wrapper before it reads the object', async () => {
    const { body: _body, ...rest } = request(entry)
    const bodies = ['', '{"a":', '[]', '"text"', 'null', '{}', `{"${envelope}":7}`]
    const envelopes = ['null', '[]', '"x"'].map((value) => `{"${envelope}":${value}}`)
    for (const rawBody of [...bodies, ...envelopes, Buffer.from([0x7b, 0xff, 0x7d]), '['.repeat(100_000)]) {
      const answer = await ownAccount.call(entry.handler, { ...rest, rawBody })
      expect([answer.status, answer.body], String(rawBody).slice(0, 40)).toEqual([400, { error: 'bad_request' }])
    }
  })

  it('accepts JSON with every JSON media type, and no form', async () => {
    const sample = async (type: string | undefined) => {
      const made = await sampled.samples[entry.name]?.()
      const headers = { 'content-type': type as string }
      return call(entry.handler, { ...request(entry), ...made, headers, token: sampled.account.token })
    }
    for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.api+json', undefined]) {
      expect((await sample(type)).status, type).toBe(operation.status)
    }
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data',
      'application/jsonx',
    ]) {
      const answer = await sample(type)
      expect([answer.status, answer.body], type).toEqual([400, { error: 'bad_request' }])
    }
  })

  it('ignores unknown keys next to and inside the wrapper', async () => {
    const sample = await sampled.samples[entry.name]?.()
    const fields = (sample as { body: Record<string, object> }).body[envelope]
    const body = { _method: 'DELETE', [envelope]: { ...fields, id: randomUUID(), inserted_at: 5, _method: 'DELETE' } }
    expect((await sampled.send(entry.name, { ...sample, body })).status).toBe(operation.status)
  })

  it('accepts 1 MiB and refuses more', async () => {
    const { body: _body, ...rest } = request(entry)
    const large = await ownAccount.call(entry.handler, { ...rest, rawBody: ' '.repeat(1_048_577) })
    expect([large.status, large.body]).toEqual([413, { error: 'payload_too_large' }])
    const fitting = await ownAccount.call(entry.handler, { ...rest, rawBody: ' '.repeat(1_048_576) })
    expect(fitting.status).toBe(400)
  })
})

describe.each(reads)('$name', (entry) => {
  it('answers HEAD like GET, without a body', async () => {
    const sample = await sampled.samples[entry.name]?.()
    const path = entry.operation.path.replace(/\{(\w+)\}/, (_, name) => sample?.params?.[name] ?? '')
    const head = { ...sample, method: 'HEAD', path, params: { proxy: path.slice(4) }, token: sampled.account.token }
    const answer = await call(otherRoute, head)
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect((await call(otherRoute, { ...head, token: null })).status).toBe(401)
  })

  it('ignores a body of any size', async () => {
    const large = await ownAccount.call(entry.handler, { ...request(entry), rawBody: ' '.repeat(1_048_577) })
    expect(large.status).not.toBe(413)
  })
})

describe.each(entries.filter(({ operation }) => operation.filters))('$name', (entry) => {
  it('refuses an invalid limit or cursor', async () => {
    for (const query of [
      'limit=',
      'limit=x',
      'limit=1.5',
      'limit=1&limit=2',
      'page_cursor=',
      'page_cursor=x',
      'page_cursor=x&page_cursor=x',
    ]) {
      const answer = await ownAccount.call(entry.handler, { query, path: entry.operation.path })
      expect([answer.status, answer.body], query).toEqual([400, { error: 'bad_request' }])
    }
  })

  it('returns the whole list without a page, with any other parameter', async () => {
    const { body } = await ownAccount.call(entry.handler, { query: 'email=x&order=desc', path: entry.operation.path })
    expect(Object.keys(body)).toEqual(['data'])
  })

  it('raises a limit below 1 to 1, and lowers one above 100 to 100', async () => {
    for (const [given, used] of [
      ['-5', 1],
      ['0', 1],
      ['1000', 100],
      ['7', 7],
    ] as const) {
      const { body } = await ownAccount.call(entry.handler, { query: { limit: given }, path: entry.operation.path })
      expect(body.metadata.limit).toBe(used)
    }
  })
})
