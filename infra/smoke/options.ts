import { parseArgs } from 'node:util'
import { SmokeFailure } from './report.ts'

export const usage = `Use: SMOKE_TOKEN=<token> npm run smoke -- --base-url <address> [options]

  --base-url <address>         address of the deployed service: https, or http on this machine
  --token <token>              API token of an administrator. Prefer SMOKE_TOKEN: other users of the machine can see arguments
  --passcode-email <address>   signs in with a passcode mailed to this address, read from standard input
  --wait-for-seal              waits until the entries of this run are sealed, up to ten minutes
  --alarm <name>               sets this CloudWatch alarm to ALARM and back, with the AWS credentials of the environment
  --clean-up                   only deletes what an interrupted run has left`

export type Options = NonNullable<ReturnType<typeof readOptions>>

const text = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const
const texts = { 'base-url': text, token: text, 'passcode-email': text, alarm: text }
const options = { ...texts, 'wait-for-seal': flag, 'clean-up': flag, help: flag }

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    // Keeps only the first sentence, which names the option. The other sentences are hints for values that begin with a hyphen.
    throw new SmokeFailure(`${(error as Error).message.split(/[.\n]/)[0]}.`)
  }
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)

/**
 * Returns the origin of an address to which a token may be sent.
 * @throws SmokeFailure for any other address
 */
function readOrigin(address: string): string {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new SmokeFailure(`--base-url must be an address like https://access.example.com, not ${address}.`)
  if (url.username || url.password || url.pathname !== '/' || url.search || url.hash)
    throw new SmokeFailure('--base-url must have no user, path, query or fragment: https://access.example.com.')
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new SmokeFailure('--base-url must begin with https, except for a service on this machine.')
  return url.origin
}

/**
 * Returns the options of a run; null for `--help`.
 * @throws SmokeFailure for a missing or invalid option
 */
export function readOptions(args: string[], variables: NodeJS.ProcessEnv) {
  const values = parsed(args)
  if (values.help) return null
  if (!values['base-url']) throw new SmokeFailure('--base-url is missing. It is the address of the service.')
  const baseUrl = readOrigin(values['base-url'])
  const token = values.token || variables.SMOKE_TOKEN
  if (!token) throw new SmokeFailure('The token is missing. Set SMOKE_TOKEN, or --token, to an API token.')
  if (!/^[\x21-\x7e]+$/.test(token)) throw new SmokeFailure('The token must have no blanks and no line breaks.')
  const { 'passcode-email': passcodeEmail, alarm } = values
  if (passcodeEmail !== undefined && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(passcodeEmail))
    throw new SmokeFailure(`--passcode-email must be an email address, not ${passcodeEmail}.`)
  if (alarm === '') throw new SmokeFailure('--alarm must be the name of an alarm.')
  return {
    baseUrl,
    token,
    ...(passcodeEmail !== undefined && { passcodeEmail }),
    ...(alarm !== undefined && { alarm }),
    waitForSeal: values['wait-for-seal'],
    cleanUp: values['clean-up'],
  }
}
