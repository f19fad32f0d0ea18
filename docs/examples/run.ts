import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { Client } from './client.ts'
import { type Authorization, Gateway } from './gateway.ts'
import { openBrowser } from './open-browser.ts'
import { reportFlow } from './report-flow.ts'
import { causeOf, Problem, Service } from './service.ts'
import { type SignedIn, signIn } from './sign-in.ts'

const usage = `Use: npm run example -- gateway --token <gateway token>
     npm run example -- client --token <client token> [--resource <id>]
     npm run example -- sign-in [--account <slug>] [--resource <id>] [--portal] [--another-account]

  --url <address>   address of the service; default http://127.0.0.1:8787

Each example runs until Ctrl-C. A client with --resource prints its authorization for the resource and exits.

sign-in opens a browser, in which a person signs in to the account (demo unless you name another). The example then runs as a client of
this person. With --resource it also reports a flow to the resource. Set ADMIN_TOKEN to the API token of an administrator, and it prints
how long the person kept access after being disabled. With --portal, an administrator signs in and out again. With --another-account, the
provider offers a choice of accounts.`

/** Prints an error and the usage, and exits with code 2. */
function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n\n${usage}\n`)
  process.exit(2)
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        url: { type: 'string', default: 'http://127.0.0.1:8787' },
        token: { type: 'string' },
        resource: { type: 'string' },
        account: { type: 'string', default: 'demo' },
        portal: { type: 'boolean', default: false },
        'another-account': { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    // The first sentence names the option. The rest of the message is about values that begin with a hyphen.
    return refuse(`${(error as Error).message.split(/[.\n]/)[0]}.`)
  }
}

const { positionals, values } = readArguments()

const print = (text: string) => process.stdout.write(`${text}\n`)

/** Returns the age of an object in milliseconds: an id begins with the time of its creation (UUIDv7). */
const ageMs = (id: string): number => Date.now() - Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** Public key of the example device. A real device generates its key once and keeps it. */
const publicKey = randomBytes(32).toString('base64')

function printChange({ added, removed }: { added: Authorization[]; removed: string[] }): void {
  for (const { id, client, resource } of added) {
    print(`allowed: client ${client.id} to ${resource.name}, ${ageMs(id)} ms after the authorization was created`)
  }
  for (const id of removed) print(`removed: authorization ${id}`)
}

async function runGateway(baseUrl: string, token: string): Promise<void> {
  const gateway = new Gateway(baseUrl, token, publicKey, printChange)
  process.once('SIGINT', () => void gateway.stop())
  process.once('SIGTERM', () => void gateway.stop())
  print('gateway: running')
  await gateway.run()
}

const newClient = (baseUrl: string, token: string) =>
  new Client({ baseUrl, token, installation: 'example', publicKey }, (resources) =>
    print(`can connect to: ${resources.map(({ name }) => name).join(', ') || 'nothing'}`),
  )

async function runUntilStopped(client: Client): Promise<void> {
  process.once('SIGINT', () => void client.stop())
  process.once('SIGTERM', () => void client.stop())
  await client.run()
}

async function runClient(baseUrl: string, token: string): Promise<void> {
  const client = newClient(baseUrl, token)
  await client.start()
  if (values.resource === undefined) await runUntilStopped(client)
  // The session stays open until its lease expires, so the authorization remains in force.
  else print(JSON.stringify(await client.connect(values.resource)))
}

async function promptPasscode(): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await terminal.question('Passcode from the mail: ')
  } finally {
    terminal.close()
  }
}

function open(page: string): void {
  print(`sign in at ${page}`)
  openBrowser(page)
}

/**
 * Prints how long a person kept access after being disabled. For demonstrations only: it reads the person with an administrator's token,
 * which a real client does not have.
 */
async function printRevocationDelay(baseUrl: string, adminToken: string, actorId: string): Promise<void> {
  const endedAt = Date.now()
  type Actor = { name: string; is_disabled: boolean; updated_at: string }
  const actor = await new Service(baseUrl, adminToken).request<Actor>('GET', `/actors/${actorId}`)
  if (actor.is_disabled)
    print(`access ended ${endedAt - Date.parse(actor.updated_at)} ms after ${actor.name} was disabled`)
}

async function runSignedIn(baseUrl: string, { token, expires_at, actor }: SignedIn): Promise<void> {
  print(`signed in: ${actor.name} <${actor.email}>, until ${expires_at}`)
  if (values.portal) {
    const service = new Service(baseUrl, token)
    const { name } = await service.request<{ name: string }>('GET', '/account')
    print(`administrator of: ${name}`)
    const { end_session_url } = await service.request<{ end_session_url: string | null }>('DELETE', '/sign_in/session')
    print('signed out of the service')
    if (end_session_url !== null) print(`to sign out at the provider too, open ${end_session_url}`)
    return
  }
  const client = newClient(baseUrl, token)
  await client.start()
  if (values.resource !== undefined) {
    const authorization = await client.connect(values.resource)
    await reportFlow(baseUrl, authorization, client.ipv4)
    print(`reported a flow to ${values.resource}`)
  }
  await runUntilStopped(client).catch(async (error: unknown) => {
    const { ADMIN_TOKEN: adminToken } = process.env
    const isRevoked = error instanceof Problem && error.status === 401
    if (isRevoked && adminToken !== undefined) await printRevocationDelay(baseUrl, adminToken, actor.id)
    throw error
  })
}

/** Fails at once if no service answers. Later requests are retried, and the sign-in waits for a person. */
async function checkService(baseUrl: string): Promise<void> {
  try {
    const answer = await fetch(`${baseUrl}/openapi`, { redirect: 'manual', signal: AbortSignal.timeout(10_000) })
    await answer.body?.cancel()
  } catch (error) {
    throw new Error(
      `No service answers at ${baseUrl} (${causeOf(error)}). Start it with npm start, or name its address with --url.`,
    )
  }
}

async function run([device = '', ...others]: string[], { url, token, account, portal }: typeof values): Promise<void> {
  if (!['gateway', 'client', 'sign-in'].includes(device))
    refuse(device ? `There is no example ${device}.` : 'Name an example.')
  if (others.length > 0) refuse(`Unexpected argument ${others[0]}.`)
  if (device !== 'sign-in' && !token) refuse(`The example ${device} needs a token: --token <${device} token>.`)
  const baseUrl = url.replace(/\/+$/, '')
  await checkService(baseUrl)
  if (device === 'gateway') return runGateway(baseUrl, token ?? '')
  if (device === 'client') return runClient(baseUrl, token ?? '')
  const context = portal ? 'portal' : 'client'
  const anotherAccount = values['another-account']
  return runSignedIn(
    baseUrl,
    await signIn({ baseUrl, account, context, anotherAccount, open, passcode: promptPasscode }),
  )
}

await run(positionals, values).catch((error: Error) => {
  process.stderr.write(`${positionals[0]}: ${error.message}\n`)
  process.exitCode = 1
})
process.exit()
