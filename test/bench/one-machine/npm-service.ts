import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { processTree } from '../measure/process-times.ts'

export type Call = (method: string, path: string, body?: object, token?: string) => Promise<Answer>

type Answer = { data: { id: string; token: string } & { id: string }[]; metadata?: { next_page?: string | null } }

export type NpmService = {
  /** Process of `npm start`, the parent of all others. */
  pid: number
  /** Milliseconds from the spawn to the message "is ready". */
  readyMs: number
  call: Call
  stop(): Promise<void>
}

/** Functions that stop each running service. */
export type RunningServices = Set<() => Promise<void>>

type Options = { root: string; dir: string; variables: Record<string, string>; running: RunningServices }

const maxStartMs = 120_000
const maxStopMs = 15_000

const readJsonIn = (dir: string, name: string) => JSON.parse(readFileSync(join(dir, name), 'utf8'))

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Ignores a process that has already ended.
  }
}

/**
 * Sends requests with the demo account's token. Retries a request that is answered 503, because concurrent writers can conflict on a busy
 * machine.
 * @throws Error for any other status but 200, 201 and 204, and for the tenth 503
 */
function caller(baseUrl: string, apiToken: string, agent: Agent): Call {
  return async (method, path, body, token = apiToken) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    for (let attempt = 1; ; attempt++) {
      const sent = request(baseUrl + path, { method, headers, agent }).end(body && JSON.stringify(body))
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      const content = await text(response)
      if ([200, 201, 204].includes(response.statusCode ?? 0)) return content ? JSON.parse(content) : {}
      if (response.statusCode !== 503 || attempt === 10)
        throw new Error(`${method} ${path} was answered ${response.statusCode}: ${content}`)
      await sleep(100)
    }
  }
}

/** Lifts the demo account's rate limit through the service's control port. */
async function liftRateLimit(dir: string, account_id: string): Promise<void> {
  const limits = { api_refill_rate: 1_000_000, api_capacity: 1_000_000 }
  const event = { operation: 'update_account', account_id, account: { limits } }
  const url = `${readJsonIn(dir, 'control.json').url}/provision-account`
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(event) })
  const content = await response.text()
  if (!response.ok || JSON.parse(content).error) throw new Error(`The limits were not changed: ${content}`)
}

/**
 * Starts the service of a checkout with `npm start` on a free port, and lifts its rate limit. `running` contains the service's `stop`, which
 * ends all its processes, from the spawn to their end.
 */
export async function startNpmService({ root, dir, variables, running }: Options): Promise<NpmService> {
  const { PATH = '', HOME = '' } = process.env
  const start = performance.now()
  // Uses a separate process group, so that Ctrl-C reaches the bench only, which then stops the service.
  const child = spawn('npm', ['start'], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${dirname(process.execPath)}${delimiter}${PATH}`,
      HOME,
      PORT: '0',
      DATA_DIR: dir,
      LOG_LEVEL: 'ERROR',
      npm_config_update_notifier: 'false',
      ...variables,
    },
  })
  const { pid } = child
  if (pid === undefined) throw new Error('npm cannot be started.', { cause: (await once(child, 'error'))[0] })
  const agent = new Agent({ keepAlive: true })
  // Resolves when every process that shares the output has ended.
  const closed = once(child, 'close')
  const end = async () => {
    agent.destroy()
    const tree = await processTree(pid)
    // Stops the service itself, because a signal to the group would reach it a second time through npm.
    try {
      signal(readJsonIn(dir, 'service.pid').pid, 'SIGTERM')
    } catch {
      signal(-pid, 'SIGTERM')
    }
    const timer = setTimeout(() => {
      for (const found of tree) signal(found.pid, 'SIGKILL')
      signal(-pid, 'SIGKILL')
    }, maxStopMs)
    await closed
    clearTimeout(timer)
    running.delete(stop)
  }
  let ending: Promise<void> | undefined
  const stop = () => {
    ending ??= end()
    return ending
  }
  running.add(stop)
  let output = ''
  const ready = new Promise<string>((resolve, reject) => {
    const note = (chunk: Buffer) => {
      output += chunk
      const [, address] = /is ready at (http:\S+)/.exec(output) ?? []
      if (address) resolve(address)
    }
    child.stdout.on('data', note)
    child.stderr.on('data', note)
    const fail = () => reject(new Error(`npm start did not start the service:\n${output}`))
    closed.then(fail, reject)
    sleep(maxStartMs, undefined, { ref: false }).then(fail)
  })
  try {
    const baseUrl = await ready
    const readyMs = performance.now() - start
    const { account_id, api_token } = readJsonIn(dir, 'credentials.json')
    await liftRateLimit(dir, account_id)
    return { pid, readyMs, call: caller(baseUrl, api_token, agent), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
