import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { signInWith } from '#test/support/accounts/portal-sessions.ts'
import { loadEntries } from '#test/support/operations/operations.ts'

/** Laws of portal sessions: an administrator's session gives access only to the account API and `/v0`, with every scope (A3.1(2)). */

const entries = await loadEntries()
const credentialOf = ({ operation: { credential = 'api' } }: (typeof entries)[number]) => credential
const open = entries.filter((entry) => credentialOf(entry) === 'api')
const closed = entries.filter((entry) => ['client', 'gateway', 'ingest'].includes(credentialOf(entry)))

let account: Awaited<ReturnType<typeof newAccount>>
let portal: string
let client: string
beforeAll(async () => {
  account = await newAccount()
  const issued = await signInWith(account, 'portal')
  portal = issued.token
  client = (await signInWith(account, 'client', { actorId: issued.actor.id, provider: issued.provider })).token
})

const request = ({ operation: { method, path, body } }: (typeof entries)[number]) => ({
  method,
  path,
  params: Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name as string, randomUUID()])),
  body: body && (body.envelope === null ? {} : { [body.envelope]: body.shape === 'list' ? [] : {} }),
})
const tail = (token: string) => token.slice('nap_'.length)

describe.each(open)('$name', (entry) => {
  it('accepts a portal session with every scope, and no other spelling of its token', async () => {
    const accepted = await call(entry.handler, { ...request(entry), token: portal })
    expect([401, 403, 429, 500, 503], accepted.text).not.toContain(accepted.status)
    for (const token of [`naa_${tail(portal)}`, `nap_${tail(account.token)}`, `nap_${tail(client)}`, `${portal}A`]) {
      expect((await call(entry.handler, { ...request(entry), token })).status).toBe(401)
    }
  })
})

describe.each(closed)('$name', (entry) => {
  it('refuses a portal session', async () => {
    expect((await call(entry.handler, { ...request(entry), token: portal })).status).toBe(401)
  })
})

it('signs out only with the token of the session', async () => {
  const [end] = entries.filter((entry) => credentialOf(entry) === 'portal')
  if (!end) throw new Error('No operation ends a portal session.')
  for (const token of [null, account.token, client]) {
    expect((await call(end.handler, { ...request(end), token })).status).toBe(401)
  }
})
