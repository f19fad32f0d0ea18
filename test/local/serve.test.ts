import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { callService, processesOn, runLocal, type Service, startService } from '#test/support/service/service.ts'
import { walkService } from '#test/walk/walk-service.ts'

let dataDir: string
let service: Service

const call = (path: string, init: RequestInit = {}, of: Pick<Service, 'baseUrl' | 'credentials'> = service) =>
  callService(of, path, init)

const secondsToReady = () => Number(/after ([\d.]+) s/.exec(service.output())?.[1])

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => {
      try {
        return (
          /^\d+$/.test(name) && readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === `${pid}`
        )
      } catch {
        return false
      }
    })
    .map(Number)

/** Returns the name of the program that a process runs, or of its script if the program is Node.js. */
function programOf(pid: number): string | undefined {
  const files = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  const [program, script] = files.filter((text) => /^\/\S+$/.test(text)).map((file) => basename(file))
  return program === 'node' ? script : program
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'serve-test-'))
  chmodSync(dataDir, 0o755)
  service = await startService({ dataDir })
})

afterAll(async () => {
  await service?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

describe('npm start', () => {
  it('prints its address, example commands and the duration of the start', () => {
    expect(secondsToReady()).toBeGreaterThan(0)
    expect(service.output()).toContain(`curl ${service.baseUrl}/account`)
    expect(service.output().match(/ curl /g)).toHaveLength(3)
  })

  it('provisions a demo account whose credentials only their owner can read', async () => {
    const path = join(dataDir, 'credentials.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    for (const name of ['secret-key', 'signing-secret']) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600)
    const { base_url, account_id } = JSON.parse(readFileSync(path, 'utf8'))
    expect(base_url).toBe(service.baseUrl)
    const response = await call('/account')
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ data: { id: account_id, slug: 'demo', name: 'Demo' } })
  })

  it('makes all files readable only by the owner, even in a shared directory', () => {
    const files = readdirSync(dataDir, { recursive: true }).map((file) => join(dataDir, String(file)))
    expect(files.length).toBeGreaterThan(10)
    // Ignores files that the service replaces while the test reads them.
    const isOpen = (file: string) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0
    expect(files.filter(isOpen)).toEqual([])
  })

  it('leaves only the service and its engines in memory', async () => {
    const programs = (pid: number): unknown[] => childrenOf(pid).flatMap((id) => [programOf(id), ...programs(id)])
    await vi.waitFor(() => expect(programs(service.pid)).toEqual(['host.mjs', 'dynoxide']), 10_000)
  })

  it('answers unknown paths and methods through the default route', async () => {
    for (const path of ['/nothing', '/sites/']) {
      const unknown = await call(path)
      expect([unknown.status, await unknown.json()]).toMatchObject([
        404,
        { detail: 'This path does not exist. Paths have no trailing slash.' },
      ])
    }
    const wrong = await call('/account', { method: 'DELETE' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET'])
  })

  it('redirects only browsers from its root to the console', async () => {
    const at = async (path: string, accept: string, method = 'GET') => {
      const { status, headers } = await call(path, { method, headers: { accept }, redirect: 'manual' })
      return [status, headers.get('location')]
    }
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    expect(await at('/', browser)).toEqual([303, '/console'])
    expect(await at('/', '*/*')).toEqual([404, null])
    expect(await at('/', browser, 'POST')).toEqual([404, null])
    expect(await at('/nothing', browser)).toEqual([404, null])
    expect((await call('/docs')).status).toBe(200)
  })

  it('refuses bodies above the limits of API Gateway and Lambda', async () => {
    for (const megabytes of [6.5, 10.5]) {
      const response = await call('/sites', { method: 'POST', body: 'x'.repeat(megabytes * 1024 * 1024) })
      expect(response.status).toBe(413)
      expect(await response.json()).toEqual({ message: 'Request Entity Too Large' })
    }
  })

  it('refuses a request with two credentials (A3.1)', async () => {
    const token = `Bearer ${service.credentials.api_token}`
    const status = async (authorization: string[]) => {
      const headers = ['host', 'localhost', ...authorization.flatMap((value) => ['authorization', value])]
      const answer = request(`${service.baseUrl}/account`, { headers }).end()
      const [response] = (await once(answer, 'response')) as [IncomingMessage]
      response.resume()
      return response.statusCode
    }
    expect(await status([token])).toBe(200)
    for (const two of [
      [token, token],
      [token, 'Bearer x'],
      ['Bearer x', token],
      [token, ''],
    ]) {
      expect(await status(two)).toBe(401)
    }
  })

  it('ignores the offer of another protocol (RFC 9110, 7.8)', async () => {
    const headers = { authorization: `Bearer ${service.credentials.api_token}`, connection: 'Upgrade', upgrade: 'h2c' }
    const outgoing = request(`${service.baseUrl}/account`, { headers }).end()
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect([response.statusCode, JSON.parse(await text(response)).data.slug]).toEqual([200, 'demo'])
  })

  it('refuses a second service on the same data directory', async () => {
    const { code, stderr } = await runLocal('start', [], { PORT: '0', DATA_DIR: dataDir })
    const line = `Another service (process ${service.pid}) already uses the data directory ${dataDir}.`
    expect([code, stderr.split('\n')]).toEqual([1, [expect.stringContaining(line), '']])
  })
})

describe('provisioning', () => {
  it('runs in the running service, and fails if the function fails', async () => {
    const event = { account: { name: 'Other', slug: 'other' }, admin: { name: 'A', email: 'a@example.com' } }
    const first = await runLocal('provision', [JSON.stringify(event)], { DATA_DIR: dataDir })
    expect(first.code).toBe(0)
    const { data } = JSON.parse(first.stdout)
    const credentials = { ...service.credentials, api_token: data.api_token.token }
    expect((await call('/account', {}, { baseUrl: service.baseUrl, credentials })).status).toBe(200)
    const again = await runLocal('provision', ['-'], { DATA_DIR: dataDir }, JSON.stringify(event))
    expect(again.code).toBe(1)
    expect(JSON.parse(again.stdout)).toMatchObject({ error: { errors: { slug: ['has already been taken'] } } })
  })

  it('is the only command that creates a data directory, because checks would pass in an empty one', async () => {
    const nowhere = join(dataDir, 'mistyped')
    const { code, stderr } = await runLocal('verify-rows', [], { DATA_DIR: nowhere })
    expect([code, stderr]).toEqual([
      1,
      `The data directory ${nowhere} does not exist. Set DATA_DIR to the data directory of the service.\n`,
    ])
    expect(existsSync(nowhere)).toBe(false)
  })

  it('flushes, lists and verifies the archive, and refuses unknown subcommands and options', async () => {
    const { code, stdout } = await runLocal('archive', ['flush'], { DATA_DIR: dataDir })
    expect([code, JSON.parse(stdout)]).toEqual([0, { data: null }])
    const status = await runLocal('archive', ['status'], { DATA_DIR: dataDir })
    const [{ account_id }] = JSON.parse(status.stdout).data.archives
    const verified = await runLocal('archive', ['verify', '--account', account_id], { DATA_DIR: dataDir })
    expect([verified.code, JSON.parse(verified.stdout).data]).toEqual([0, expect.objectContaining({ findings: [] })])
    const tables = await runLocal('archive', ['tables', 'athena', '--location', 'logs'], { DATA_DIR: dataDir })
    expect(tables.stdout).toContain("LOCATION 's3://logs/v1/flow/'")
    for (const [parameters, fault] of [
      [['flash'], 'The subcommand flash does not exist.'],
      [['status', '--key', 'x'], "Unknown option '--key'"],
      [['tables', 'sqlite'], 'The engine must be one of athena, duckdb.'],
      [[], 'Use: npm run archive -- verify'],
    ] as const) {
      const { code, stderr } = await runLocal('archive', [...parameters], { DATA_DIR: dataDir })
      expect([code, stderr]).toEqual([2, expect.stringContaining(fault)])
    }
    expect((await runLocal('archive', ['verify', '--account', 'x'], { DATA_DIR: dataDir })).code).toBe(2)
  })

  it('reports an invalid argument as JSON', async () => {
    const { code, stdout } = await runLocal('provision', ['{'], { DATA_DIR: dataDir })
    const error = { code: 'invalid_json', detail: 'The event is not valid JSON.' }
    expect([code, JSON.parse(stdout)]).toEqual([1, { error }])
  })
})

walkService(() => service)

it('prints the seconds until it was ready at every start', () => {
  expect(secondsToReady()).toBeGreaterThan(0)
})

describe('Ctrl-C', () => {
  /** Starts an example device as a separate process, and waits until it is connected to the live channel. */
  async function connectDevice(kind: string, token: string, ...args: string[]): Promise<ChildProcess> {
    const device = spawn(process.execPath, [
      'docs/examples/run.ts',
      kind,
      '--url',
      service.baseUrl,
      '--token',
      token,
      ...args,
    ])
    const connected = /live \$connect 200 .*\n/g
    const before = service.output().match(connected)?.length ?? 0
    await vi.waitFor(() => expect(service.output().match(connected)?.length).toBe(before + 1), 20_000)
    return device
  }

  it('stops the service while devices are connected, and a concurrent start waits for it', async () => {
    const create = async (path: string, body: object) =>
      (
        (await (await call(path, { method: 'POST', body: JSON.stringify(body) })).json()) as {
          data: { id: string; token: string }
        }
      ).data
    const site = await create('/sites', { site: { name: 'Connected' } })
    const gateway = await create(`/sites/${site.id}/gateways`, { gateway: { name: 'connected' } })
    const actor = await create('/actors', { actor: { name: 'Connected', type: 'service_account' } })
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    const client = await create(`/actors/${actor.id}/client_tokens`, { client_token: { expires_at } })
    const devices = [await connectDevice('gateway', gateway.token), await connectDevice('client', client.token)]
    try {
      process.kill(service.pid, 'SIGINT')
      const { pid } = service
      // Restarts the service while the devices keep running. The devices must reconnect.
      service = await startService({ dataDir })
      expect(isRunning(pid)).toBe(false)
      expect((await call('/account')).status).toBe(200)
    } finally {
      for (const device of devices) device.kill('SIGKILL')
    }
  })

  it('leaves no process behind', async () => {
    await service.stop()
    expect(existsSync(join(dataDir, 'dynamodb.pid'))).toBe(false)
    expect(processesOn(dataDir)).toEqual([])
  })
})

it('ends its builds with Ctrl-C', async () => {
  // Changes a setting, so that there is something to build.
  const env = {
    ...process.env,
    DATA_DIR: join(dataDir, 'interrupted'),
    PORT: '0',
    MAIL_SENDER: `${process.pid}@example.com`,
  }
  const child = spawn(process.execPath, ['infra/commands/serve.ts'], { env, stdio: 'ignore' })
  const { pid = 0 } = child
  const exited = once(child, 'exit')
  let builds: number[] = []
  await vi.waitFor(() => {
    builds = childrenOf(pid).filter((id) => programOf(id) === 'build.ts')
    expect(builds).toHaveLength(1)
  }, 10_000)
  child.kill('SIGINT')
  expect(await exited).toEqual([130, null])
  await vi.waitFor(() => expect(builds.filter(isRunning)).toEqual([]), 10_000)
})

describe('faults are one line and exit code 1', () => {
  const fault = async (variables: Record<string, string>, args: string[] = []) => {
    const { code, stdout, stderr } = await runLocal('start', args, {
      PORT: '0',
      DATA_DIR: join(dataDir, 'fault'),
      ...variables,
    })
    expect(code).toBe(1)
    expect(stdout.replace('\n  Starting …\n', '')).toBe('')
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    return stderr
  }

  it('for a busy port', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    expect(await fault({ PORT: String(port) })).toContain(`Port ${port} is in use`)
    server.close()
  })

  it('for an invalid port', async () => {
    expect(await fault({ PORT: 'http' })).toContain('PORT=http is not a port number')
  })

  it('for a data directory that cannot be written', async () => {
    expect(await fault({ DATA_DIR: '/dev/null/data' })).toContain('The data directory /dev/null/data cannot be written')
  })

  it('for a missing engine', async () => {
    expect(await fault({ DYNOXIDE_BIN: '/nowhere/dynoxide' })).toContain('DYNOXIDE_BIN names /nowhere/dynoxide')
  })

  it('for an unknown option', async () => {
    expect(await fault({}, ['--forever'])).toContain('Unknown option --forever')
  })

  it('for an option that npm consumed', () => {
    const env = { ...process.env, DATA_DIR: join(dataDir, 'fault'), PORT: '0' }
    const { status, stderr } = spawnSync('npm', ['start', '--demo-idp'], { encoding: 'utf8', env })
    expect([status, stderr]).toEqual([1, expect.stringContaining('Use: npm start -- --demo-idp\n')])
  })
})
