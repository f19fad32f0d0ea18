import { expect, it } from 'vitest'
import { startScreen } from '#infra/local/start-screen.ts'

const screenOf = (slug: string, port: number) =>
  startScreen({
    baseUrl: `http://127.0.0.1:${port}`,
    dir: '/data',
    ephemeral: false,
    seconds: 1,
    demo: { usable: true },
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
