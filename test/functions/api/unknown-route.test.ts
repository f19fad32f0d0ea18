import { afterEach, expect, it, vi } from 'vitest'
import { handler } from '#functions/api/unknown-route.ts'
import { call } from '#test/support/accounts/account.ts'

vi.stubGlobal('ROUTE_TABLE', '{}')
afterEach(() => vi.unstubAllEnvs())

const atRoot = async (accept: string) => {
  const { status, headers } = await call(handler, { path: '/', headers: { accept } })
  return [status, headers.location, headers.vary, headers['cache-control']]
}

it.each(['text/html', 'application/xhtml+xml, text/html;q=0.9', 'TEXT/HTML'])(
  'redirects %s from the root to the console (K2.6)',
  async (accept) => {
    expect(await atRoot(accept)).toEqual([303, '/console', 'Accept', 'no-store'])
  },
)

it('redirects browsers to the reference without a console', async () => {
  vi.stubEnv('CONSOLE', 'false')
  expect(await atRoot('text/html')).toEqual([303, '/docs', 'Accept', 'no-store'])
})

it.each(['*/*', 'application/json', 'text/htmlx', 'x-text/html'])('answers 404 to %s', async (accept) => {
  expect((await atRoot(accept))[0]).toBe(404)
})
