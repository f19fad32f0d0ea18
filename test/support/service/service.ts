import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

type Credentials = { base_url: string; account_id: string; api_token: string }

export type Service = {
  readonly baseUrl: string
  readonly credentials: Credentials
  readonly dataDir: string
  readonly pid: number
  output(): string
  exited(): Promise<unknown>
  /** Stops the process with SIGTERM. Removes the data directory, unless the caller provided it. */
  stop(): Promise<void>
  /** Kills the process with SIGKILL. The data directory remains for the next start. */
  kill9(): Promise<void>
  /** Restarts the process with the same data directory and port. */
  restart(): Promise<void>
}

type Options = { dataDir?: string; port?: number; args?: string[]; env?: Record<string, string> }

const repositoryRoot = fileURLToPath(new URL('../../../', import.meta.url))

const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))

/** Spawns a package.json script as npm does, but without the test run's environment variables. */
function spawnLocal(script: string, args: string[], variables: Record<string, string> = {}): ChildProcess {
  const { PATH = '', HOME = '', TMPDIR } = process.env
  return spawn(process.execPath, [...scripts[script].split(' ').slice(1), ...args], {
    cwd: repositoryRoot,
    env: { PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}), ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

export async function runLocal(script: string, args: string[], variables: Record<string, string> = {}, input = '') {
  const child = spawnLocal(script, args, variables)
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  child.stdin?.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

async function waitUntilReady(child: ChildProcess, output: () => string): Promise<string> {
  const end = Date.now() + 110_000
  while (Date.now() < end) {
    const address = /is ready at (http:\S+)/.exec(output())?.[1]
    if (address) return address
    if (child.exitCode !== null || child.signalCode !== null) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  child.kill('SIGKILL')
  throw new Error(`The service did not start:\n${output()}`)
}

type Started = { child: ChildProcess; exited: Promise<unknown>; baseUrl: string; output(): string }

async function start({ args = [], env }: Options, dataDir: string, port: number): Promise<Started> {
  const child = spawnLocal('start', args, { PORT: String(port), DATA_DIR: dataDir, ...env })
  let printed = ''
  const note = (chunk: Buffer) => {
    printed += chunk
  }
  child.stdout?.on('data', note)
  child.stderr?.on('data', note)
  const exited = once(child, 'exit')
  const output = () => printed
  return { child, exited, baseUrl: await waitUntilReady(child, output), output }
}

/** Starts the service as a child process, in the same way as a user, by default on a free port. */
export async function startService(options: Options = {}): Promise<Service> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'service-test-'))
  let running = await start(options, dataDir, options.port ?? 0)
  const end = async (signal: NodeJS.Signals) => {
    running.child.kill(signal)
    await running.exited
  }
  return {
    get baseUrl() {
      return running.baseUrl
    },
    get credentials(): Credentials {
      const file = /Credentials\s+(\S+)/.exec(running.output())?.[1] ?? ''
      return JSON.parse(readFileSync(file, 'utf8'))
    },
    dataDir,
    get pid() {
      return running.child.pid ?? 0
    },
    output: () => running.output(),
    exited: () => running.exited,
    async stop() {
      await end('SIGTERM')
      if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true })
    },
    kill9: () => end('SIGKILL'),
    async restart() {
      await end('SIGTERM')
      running = await start(options, dataDir, Number(new URL(running.baseUrl).port))
    },
  }
}

/** Sends a request with the demo account's token. */
export const callService = (
  { baseUrl, credentials }: Pick<Service, 'baseUrl' | 'credentials'>,
  path: string,
  init: RequestInit = {},
): Promise<Response> =>
  fetch(baseUrl + path, {
    ...init,
    headers: { authorization: `Bearer ${credentials.api_token}`, 'content-type': 'application/json', ...init.headers },
  })

/**
 * Creates a site in the demo account and returns its id.
 * @throws Error if the status is not 201
 */
export async function createSite(service: Service, name: string): Promise<string> {
  const response = await callService(service, '/sites', { method: 'POST', body: JSON.stringify({ site: { name } }) })
  if (response.status !== 201) throw new Error(await response.text())
  return ((await response.json()) as { data: { id: string } }).data.id
}

/** Returns the ids of the processes whose command line contains the directory: the service, the engine host and the table's engine. */
export const processesOn = (dir: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dir)
    } catch {
      return false
    }
  })
