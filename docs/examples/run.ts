import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Client } from './client.ts'
import { type Authorization, Gateway } from './gateway.ts'

const usage = `Use: npm run example -- gateway --token <gateway token>
     npm run example -- client --token <client token> [--resource <id>]

  --url <address>   the service; http://127.0.0.1:8787 unless said otherwise

Each works until Ctrl-C; a client with --resource prints the way there and ends.`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8787' },
    token: { type: 'string' },
    resource: { type: 'string' },
  },
})

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

async function runClient(baseUrl: string, token: string, resource: string | undefined): Promise<void> {
  const client = new Client({ baseUrl, token, installation: 'example', publicKey }, (resources) =>
    say(`can connect to: ${resources.map(({ name }) => name).join(', ') || 'nothing'}`),
  )
  await client.start()
  if (resource !== undefined) {
    say(JSON.stringify(await client.connect(resource)))
    return
  }
  process.once('SIGINT', () => void client.stop())
  process.once('SIGTERM', () => void client.stop())
  await client.run()
}

const [device] = positionals
const { url, token, resource } = values
if (token === undefined || (device !== 'gateway' && device !== 'client')) {
  process.stderr.write(`${usage}\n`)
  process.exitCode = 2
} else {
  const running = device === 'gateway' ? runGateway(url, token) : runClient(url, token, resource)
  await running.catch((error: Error) => {
    process.stderr.write(`${device}: ${error.message}\n`)
    process.exitCode = 1
  })
  // A client that was asked for one way leaves its session to its lease, so that the way stays open.
  process.exit()
}
