import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processesOn, runLocal, type Service, startService } from '#test/support/service/service.ts'
import { has, typed, walkSteps } from '#test/walk/type-commands.ts'

/** Prints all flows as the walk prints those of its resource. */
const allFlows =
  'api "$BASE/logs?type=flow" | pick flow_start initiator_actor_name resource_name protocol inner_dst_port\n'

let root: string
/** Data directory with the demo account and a second account. After the setup, services run only on copies of this directory. */
let base: string
let other: { id: string; token: string }

const provision = async (dir: string, event: object) => {
  const { stdout } = await runLocal('provision', [JSON.stringify(event)], { DATA_DIR: dir })
  return JSON.parse(stdout).data
}
const account = (slug: string) => ({ account: { name: slug, slug }, admin: { name: 'A', email: 'a@example.com' } })

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'start-again-test-'))
  base = join(root, 'base')
  const service = await startService({ dataDir: base })
  const provisioned = await provision(base, account('other'))
  other = { id: provisioned.account.id, token: provisioned.api_token.token }
  // Reports a flow, so that consumers have a checkpoint in the flow stream.
  if (has('curl')) await typed(['sh'], walkSteps(), base)
  // Restarts the service, which moves the stream's records from its log file to a table file.
  await service.restart()
  await service.stop()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function copy(): string {
  const dir = mkdtempSync(join(root, 'copy-'))
  cpSync(base, dir, { recursive: true })
  return dir
}

const idOf = (dir: string): string => JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8')).account_id

async function withService(dir: string, args: string[], look: (service: Service) => Promise<void>): Promise<void> {
  const service = await startService({ dataDir: dir, args })
  try {
    await look(service)
  } finally {
    await service.stop()
  }
}

const statusOf = async ({ baseUrl }: Service, token: string) =>
  (await fetch(`${baseUrl}/account`, { headers: { authorization: `Bearer ${token}` } })).status

const hint = 'Create a new one with npm start -- --new-demo'

/** Expects a message about the missing demo account, and that the other account still works. Also expects a new demo account on request. */
async function expectServed(dir: string, because: string, slug: string): Promise<void> {
  await withService(dir, [], async (service) => {
    expect(service.output()).toContain(because)
    expect(service.output()).toContain(hint)
    expect(service.output()).toContain(`other ${other.id}`)
    expect(await statusOf(service, other.token)).toBe(200)
  })
  await withService(dir, ['--new-demo'], async (service) => {
    expect(service.output()).not.toContain(hint)
    expect(service.output()).toContain(`${slug} ${idOf(dir)}`)
    expect(await statusOf(service, service.credentials.api_token)).toBe(200)
  })
}

describe('a data directory stays usable', () => {
  it('prints its accounts, and logs no request during the start', async () => {
    const dir = copy()
    await withService(dir, [], async (service) => {
      expect(service.output()).toContain(`demo ${idOf(dir)}`)
      expect(service.output()).toContain(`other ${other.id}`)
      expect(service.output()).not.toContain('"message":"request"')
    })
  })

  it('while the deletion of its demo account is pending', async () => {
    const dir = copy()
    const delete_at = '2099-01-01T00:00:00Z'
    await provision(dir, { operation: 'delete_account', account_id: idOf(dir), delete_at })
    await expectServed(dir, `its account ${idOf(dir)} is disabled and will be deleted at 2099-01-01T00:00:00`, 'demo-2')
  })

  it('when its table was removed', async () => {
    const dir = copy()
    for (const file of globSync('dynamodb.db*', { cwd: dir })) rmSync(join(dir, file))
    await withService(dir, [], async ({ output }) => {
      expect(output()).toContain(`its account ${idOf(dir)} no longer exists`)
      expect(output()).toMatch(/Accounts +none/)
    })
    await withService(dir, ['--new-demo'], async (service) => {
      const headers = { authorization: `Bearer ${service.credentials.api_token}` }
      // Waits for a log entry, which proves that the consumers read the new table's stream from its beginning.
      await expect
        .poll(async () => (await fetch(`${service.baseUrl}/logs?type=change`, { headers })).text(), { timeout: 60_000 })
        .toContain('"operation":"insert"')
    })
  })

  it('when another account has its slug', async () => {
    const dir = mkdtempSync(join(root, 'taken-'))
    const provisioned = await provision(dir, account('demo'))
    await withService(dir, [], async (service) => {
      expect(service.output()).toContain(`the slug "demo" belongs to the account ${provisioned.account.id}`)
      expect(await statusOf(service, provisioned.api_token.token)).toBe(200)
    })
    await withService(dir, ['--new-demo'], async (service) => {
      expect(service.output()).toContain(`demo-2 ${idOf(dir)}`)
    })
  })

  it('when a new demo account replaces it, whose credentials are kept', async () => {
    const dir = copy()
    const previous = JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8'))
    await withService(dir, ['--new-demo'], async (service) => {
      const file = join(dir, 'credentials-demo.json')
      expect(service.output()).toContain(`${file} has the credentials of the previous account`)
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(previous)
      expect(await statusOf(service, previous.api_token)).toBe(200)
      expect(service.credentials.api_token).not.toBe(previous.api_token)
    })
  })
})

describe('a start that fails prints one line, and leaves no process', () => {
  async function expectFault(dir: string, text: string, variables: Record<string, string> = {}): Promise<void> {
    const { code, stdout, stderr } = await runLocal('start', [], { PORT: '0', DATA_DIR: dir, ...variables })
    expect([code, stdout, stderr.trimEnd().split('\n')]).toEqual([
      1,
      '\n  Starting …\n',
      [expect.stringContaining(text)],
    ])
    expect(processesOn(dir)).toEqual([])
  }

  it.each([/^MANIFEST/, /^CURRENT/, /\.ldb$/])('when %s of the stream is truncated', async (pattern) => {
    const dir = copy()
    const stream = join(dir, 'kinesis')
    const file = readdirSync(stream).find((name) => pattern.test(name)) ?? ''
    truncateSync(join(stream, file), 10)
    await expectFault(dir, `The stream directory ${stream} is damaged`)
    rmSync(stream, { recursive: true })
    await withService(dir, [], async (service) => expect(await statusOf(service, other.token)).toBe(200))
  })

  it.skipIf(!has('curl'))(
    'when the files of the stream were removed, until its checkpoint is removed, too',
    async () => {
      const dir = copy()
      for (const file of readdirSync(join(dir, 'kinesis'))) rmSync(join(dir, 'kinesis', file))
      const checkpoint = join(dir, 'checkpoints', 'store-flow-logs.kinesis.json')
      // Starts twice, because the first start creates a new stream, which the checkpoint does not match either.
      for (let i = 0; i < 2; i++) await expectFault(dir, `The checkpoint ${checkpoint} belongs to another flow stream`)
      rmSync(checkpoint)
      await withService(dir, [], async () => {
        const { stdout, stderr } = await typed(['sh'], `${walkSteps()}\n${allFlows}`, dir)
        expect([stdout.match(/"accepted":1/g), stderr]).toEqual([['"accepted":1'], ''])
        // Expects the newly accepted report, which the walk shows alone, and then both it and the earlier flow.
        expect(stdout.match(/^.* {2}Deployer \d+ {2}Wiki \d+ {2}tcp {2}443$/gm)).toHaveLength(3)
      })
    },
  )

  it.each(['not a key', generateKeyPairSync('x25519').privateKey.export({ format: 'pem', type: 'pkcs8' })])(
    'when the seal key is damaged: %#',
    async (content) => {
      const dir = copy()
      writeFileSync(join(dir, 'seal-key.pem'), content)
      await expectFault(dir, `The seal key ${join(dir, 'seal-key.pem')} is damaged`)
    },
  )

  it('when the key of stored secrets is damaged', async () => {
    const dir = copy()
    writeFileSync(join(dir, 'secret-key'), 'not a key')
    await expectFault(dir, `The file ${join(dir, 'secret-key')} is damaged`)
  })

  it.each(['DYNAMODB_ENDPOINT', 'KINESIS_ENDPOINT'])('when nothing answers at %s', async (variable) => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    server.close()
    const endpoint = `http://127.0.0.1:${port}`
    await expectFault(copy(), `Nothing responds at ${variable}=${endpoint} (connect ECONNREFUSED`, {
      [variable]: endpoint,
    })
    await expectFault(copy(), `Nothing responds at ${variable}=nonsense (Invalid URL)`, { [variable]: 'nonsense' })
  })

  it('when the table is damaged', async () => {
    const dir = copy()
    writeFileSync(join(dir, 'dynamodb.db'), Buffer.alloc(20_000, 7))
    await expectFault(dir, `The table file ${join(dir, 'dynamodb.db')} is damaged`)
  })

  it('when the table is empty', async () => {
    const dir = copy()
    writeFileSync(join(dir, 'dynamodb.db'), '')
    await expectFault(dir, `The table file ${join(dir, 'dynamodb.db')} is empty.`)
  })

  it.each([
    ['DYNAMODB_ENDPOINT', 'DYNAMODB'],
    ['KINESIS_ENDPOINT', 'KINESIS'],
  ])('when another program answers at %s', async (variable, engine) => {
    const server = createHttpServer((_request, response) => response.end('<html></html>'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const endpoint = `http://127.0.0.1:${(server.address() as { port: number }).port}`
      await expectFault(copy(), `No ${engine} engine responds at ${variable}=${endpoint}.`, { [variable]: endpoint })
    } finally {
      server.close()
    }
  })

  it.each([
    ['LOG_RETENTION_DAYS', '0', 'an integer from 1 to 36500'],
    ['FLOW_RETENTION_DAYS', '-1', 'an integer from 1 to 36500'],
    ['LOG_LEVEL', 'loud', 'one of INFO, WARN, ERROR'],
    ['LOG_FORMAT', 'xml', 'one of text, json'],
  ])('for %s=%s', async (variable, value, rule) => {
    await expectFault(copy(), `${variable}=${value} must be ${rule}.`, { [variable]: value })
  })
})
