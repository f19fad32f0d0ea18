import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type Credentials = { base_url: string; account_id: string; api_token: string }

export type Service = {
  baseUrl: string
  credentials: Credentials
  dataDir: string
  pid: number
  /** What it has printed so far. */
  output(): string
  /** Ends it as Ctrl-C does. Its data directory goes, unless the test made it. */
  stop(): Promise<void>
  /** Ends it without a word; its data directory stays for the next start. */
  kill9(): Promise<void>
}

type Options = { dataDir?: string; port?: number; args?: string[]; env?: Record<string, string> }

export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url))

/** Runs a program of `infra/local/` as npm does, with none of the variables that this test run has set. */
export function spawnLocal(script: string, args: string[], variables: Record<string, string> = {}): ChildProcess {
  const { PATH = '', HOME = '', TMPDIR } = process.env
  return spawn(process.execPath, [join(repositoryRoot, 'infra/local', script), ...args], {
    cwd: repositoryRoot,
    env: { PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}), ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** Runs it to its end. */
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

async function untilReady(child: ChildProcess, output: () => string): Promise<string> {
  const end = Date.now() + 25_000
  while (Date.now() < end) {
    const address = /is ready at (http:\S+)/.exec(output())?.[1]
    if (address) return address
    if (child.exitCode !== null || child.signalCode !== null) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  child.kill('SIGKILL')
  throw new Error(`The service did not start:\n${output()}`)
}

/** Starts the service as a user does, as a child process, on a free port. */
export async function startService(options: Options = {}): Promise<Service> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'service-test-'))
  const child = spawnLocal('serve.ts', options.args ?? [], {
    PORT: String(options.port ?? 0),
    DATA_DIR: dataDir,
    ...options.env,
  })
  let printed = ''
  const note = (chunk: Buffer) => {
    printed += chunk
  }
  child.stdout?.on('data', note)
  child.stderr?.on('data', note)
  const exited = once(child, 'exit')
  const output = () => printed
  const baseUrl = await untilReady(child, output)
  const credentialsFile = /Credentials\s+(\S+)/.exec(printed)?.[1] ?? ''
  return {
    baseUrl,
    credentials: JSON.parse(readFileSync(credentialsFile, 'utf8')),
    dataDir,
    pid: child.pid ?? 0,
    output,
    async stop() {
      child.kill('SIGTERM')
      await exited
      if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true })
    },
    async kill9() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
