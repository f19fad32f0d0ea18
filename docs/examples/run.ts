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

  --url <address>   the service; http://127.0.0.1:8787 unless given

Each works until Ctrl-C; a client with --resource prints the way there and ends. sign-in gets its token from a person in their
browser, who signs in to the account demo unless another is named, and reports a flow to the resource. With the API token of an
administrator as ADMIN_TOKEN it says, when the person is disabled, how long it took until they were out. With --portal an
administrator signs in, and out again. With --another-account the provider asks which account to use.`

/** Ends the process with one sentence and the usage. */
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
    // The first sentence names the option; what follows are hints for values that begin with a hyphen.
    return refuse(`${(error as Error).message.split(/[.\n]/)[0]}.`)
  }
}

const { positionals, values } = readArguments()

const say = (text: string) => process.stdout.write(`${text}\n`)

/** Ids begin with the milliseconds at which they were made (UUIDv7), so here they tell how long the news was on its way. */
const ageOf = (id: string): number => Date.now() - Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** Devices make their key once and keep it; this one is made for the occasion. */
const publicKey = randomBytes(32).toString('base64')

function changed({ added, removed }: { added: Authorization[]; removed: string[] }): void {
  for (const { id, client, resource } of added) {
    say(`may pass: client ${client.id} to ${resource.name}, known ${ageOf(id)} ms after it was authorized`)
  }
  for (const id of removed) say(`may not pass any more: authorization ${id}`)
}

async function runGateway(baseUrl: string, token: string): Promise<void> {
  const gateway = new Gateway(baseUrl, token, publicKey, changed)
  process.once('SIGINT', () => void gateway.stop())
  process.once('SIGTERM', () => void gateway.stop())
  say('gateway: working')
  await gateway.run()
}

const newClient = (baseUrl: string, token: string) =>
  new Client({ baseUrl, token, installation: 'example', publicKey }, (resources) =>
    say(`can connect to: ${resources.map(({ name }) => name).join(', ') || 'nothing'}`),
  )

async function keep(client: Client): Promise<void> {
  process.once('SIGINT', () => void client.stop())
  process.once('SIGTERM', () => void client.stop())
  await client.run()
}

async function runClient(baseUrl: string, token: string): Promise<void> {
  const client = newClient(baseUrl, token)
  await client.start()
  if (values.resource === undefined) await keep(client)
  // It leaves its session to its lease, so that the way stays open.
  else say(JSON.stringify(await client.connect(values.resource)))
}

async function askPasscode(): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await terminal.question('Passcode of the mail: ')
  } finally {
    terminal.close()
  }
}

function open(page: string): void {
  say(`sign in at ${page}`)
  openBrowser(page)
}

/**
 * Says how long ago a person was disabled whom the service has just refused. A client cannot know that: an administrator's token asks,
 * for whoever wants to see it on their own machine.
 */
async function tellDelay(baseUrl: string, adminToken: string, actorId: string): Promise<void> {
  const outAt = Date.now()
  type Actor = { name: string; is_disabled: boolean; updated_at: string }
  const actor = await new Service(baseUrl, adminToken).ask<Actor>('GET', `/actors/${actorId}`)
  if (actor.is_disabled) say(`out ${outAt - Date.parse(actor.updated_at)} ms after ${actor.name} was disabled`)
}

async function runSignedIn(baseUrl: string, { token, expires_at, actor }: SignedIn): Promise<void> {
  say(`signed in: ${actor.name} <${actor.email}>, until ${expires_at}`)
  if (values.portal) {
    const service = new Service(baseUrl, token)
    const { name } = await service.ask<{ name: string }>('GET', '/account')
    say(`administers: ${name}`)
    const { end_session_url } = await service.ask<{ end_session_url: string | null }>('DELETE', '/sign_in/session')
    say('signed out here')
    if (end_session_url !== null) say(`to sign out at the provider as well, open ${end_session_url}`)
    return
  }
  const client = newClient(baseUrl, token)
  await client.start()
  if (values.resource !== undefined) {
    const way = await client.connect(values.resource)
    await reportFlow(baseUrl, way, client.ipv4)
    say(`reported a flow to ${values.resource}`)
  }
  await keep(client).catch(async (error: unknown) => {
    const { ADMIN_TOKEN: adminToken } = process.env
    const isOut = error instanceof Problem && error.status === 401
    if (isOut && adminToken !== undefined) await tellDelay(baseUrl, adminToken, actor.id)
    throw error
  })
}

/** Fails at once where no service answers: what follows waits for one to come back, or for a person. */
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
  return runSignedIn(baseUrl, await signIn({ baseUrl, account, context, anotherAccount, open, passcode: askPasscode }))
}

await run(positionals, values).catch((error: Error) => {
  process.stderr.write(`${positionals[0]}: ${error.message}\n`)
  process.exitCode = 1
})
process.exit()
