import { expect, it } from 'vitest'
import { readOptions } from '#infra/smoke/options.ts'
import { SmokeFailure } from '#infra/smoke/report.ts'

const address = 'https://access.example.com'
const variables = { SMOKE_TOKEN: 'naa_example' }

it.each([
  [['--base-url', `${address}/`], address],
  [['--base-url', 'https://access.example.com:8443'], 'https://access.example.com:8443'],
  [['--base-url', 'http://127.0.0.1:8787'], 'http://127.0.0.1:8787'],
  [['--base-url', 'http://localhost:8787'], 'http://localhost:8787'],
  [['--base-url', 'http://[::1]:8787'], 'http://[::1]:8787'],
])('takes %j as %s', (args, baseUrl) => {
  const options = { baseUrl, token: 'naa_example', waitForSeal: false, cleanUp: false }
  expect(readOptions(args, variables)).toEqual(options)
})

it('prefers the token of the argument to that of the variable', () =>
  expect(readOptions(['--base-url', address, '--token', 'naa_other'], variables)).toMatchObject({ token: 'naa_other' }))

const refused: [args: string[], sentence: string][] = [
  [[], '--base-url is missing'],
  [['--base-url', 'access.example.com'], '--base-url must be an address'],
  [['--base-url', 'ftp://access.example.com'], '--base-url must be an address'],
  [['--base-url', 'http://access.example.com'], '--base-url must begin with https'],
  [['--base-url', 'http://127.0.0.1.example.com'], '--base-url must begin with https'],
  [['--base-url', `${address}/v0`], '--base-url must have no user, path'],
  [['--base-url', `${address}?a=b`], '--base-url must have no user, path'],
  [['--base-url', 'https://ada@access.example.com'], '--base-url must have no user, path'],
  [['--base-url', address, '--token', 'naa_a b'], 'The token must have no blanks'],
  [['--base-url', address, '--passcode-email', 'ada'], '--passcode-email must be an email address'],
  [['--base-url', address, '--alarm', ''], '--alarm must be the name of an alarm'],
  [['--base-url', address, '--verbose'], "Unknown option '--verbose'"],
  [['--base-url', address, 'naa_example'], "Unexpected argument 'naa_example'"],
]
it.each(refused)('refuses %j in one sentence', (args, sentence) => {
  expect(() => readOptions(args, variables)).toThrow(SmokeFailure)
  expect(() => readOptions(args, variables)).toThrow(sentence)
})

it('refuses a run without a token', () =>
  expect(() => readOptions(['--base-url', address], {})).toThrow('The token is missing. Set SMOKE_TOKEN'))
