import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { withTitles } from '#test/support/run/titles.ts'

const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['docs/examples/run.ts', ...args], {
    encoding: 'utf8',
  })
  return { status, stdout, lines: stderr.trimEnd().split('\n') }
}

it.each(
  withTitles([
    [[], 'Name an example.'],
    [['router'], 'There is no example router.'],
    [['gateway'], 'The example gateway needs a token: --token <gateway token>.'],
    [['client', '--token', 'x', '--tokn', 'y'], "Unknown option '--tokn'."],
    [['gateway', '--token'], "Option '--token <value>' argument missing."],
    [['sign-in', 'uma'], 'Unexpected argument uma.'],
  ]),
)('refuses %s with one sentence and the usage', (_, args, sentence) => {
  const { status, lines } = run(...args)
  expect([status, lines[0], lines[1]]).toEqual([2, sentence, ''])
  expect(lines[2]).toMatch(/^Use: npm run example -- gateway/)
  expect(lines.join('\n')).not.toMatch(/^ +at /m)
})

it.each([
  ['gateway', '--token', 'x'],
  ['client', '--token', 'x'],
  ['sign-in', '--portal'],
])('%s exits at once with a reason if no service responds', async (...args) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  const { status, stdout, lines } = run(...args, '--url', `http://127.0.0.1:${port}`)
  expect([status, stdout]).toEqual([1, ''])
  expect(lines).toEqual([
    `${args[0]}: No service answers at http://127.0.0.1:${port} (connect ECONNREFUSED 127.0.0.1:${port}). Start it with npm start, or name its address with --url.`,
  ])
})
