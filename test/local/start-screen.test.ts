import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { startScreen } from '#infra/local/start-screen.ts'

const screenOf = (
  slug: string,
  port: number,
  dir = '/data',
  consoleUrl: string | null = `http://127.0.0.1:${port}/console/${slug}#code=c&verifier=v`,
) =>
  startScreen({
    baseUrl: `http://127.0.0.1:${port}`,
    dir,
    ephemeral: false,
    seconds: 1,
    demo: { usable: true, previousCredentials: '/data/credentials-demo.json' },
    consoleUrl,
    signIn: { issuer: 'http://127.0.0.1:1', slug, people: [], directory: { id: 'directory', people: 200 } } as never,
    accounts: { rows: [], more: false },
  })

it.each([
  ['demo', 8787, 'npm run example -- sign-in\n'],
  ['demo', 9000, 'npm run example -- sign-in --url http://127.0.0.1:9000\n'],
  ['demo-2', 8787, 'npm run example -- sign-in --account demo-2\n'],
  ['demo-2', 9000, 'npm run example -- sign-in --account demo-2 --url http://127.0.0.1:9000\n'],
])('says how people of %s sign in at port %i', (slug, port, command) => {
  expect(screenOf(slug, port)).toContain(`    ${command}`)
})

it('shows the address of the one-time sign-in to the console, if there is one (K2.7)', () => {
  expect(screenOf('demo', 8787)).toContain('    http://127.0.0.1:8787/console/demo#code=c&verifier=v\n')
  expect(screenOf('demo', 8787, '/data', null)).not.toContain('/console')
})

it('names the reference, the walk and the file with the credentials of an earlier account', () => {
  const screen = screenOf('demo', 9000)
  expect(screen).toContain('Reference     http://127.0.0.1:9000/docs\n')
  expect(screen).toContain('Try the API in another terminal:')
  expect(screen).toContain('/data/credentials-demo.json has the credentials of the previous account\n')
  expect(screen).toContain('docs/walk.md continues from there, after export DATA_DIR=/data.\n')
  expect(screenOf('demo', 9000, resolve('.local'))).toContain('docs/walk.md continues from there.\n')
})
