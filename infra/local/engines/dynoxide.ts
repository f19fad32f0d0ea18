import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { identityOf, readJson } from '../data-dir.ts'
import { Fault } from '../fault.ts'
import { loopbackAddress } from './loopback-address.ts'

export type Dynoxide = { endpoint: string; exited: Promise<void>; stop(): Promise<void> }

/** The file with a data directory's tables. */
export const databaseFile = (dir: string): string => join(dir, 'dynamodb.db')

async function freePort(host: string): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('The free port has no number.')
  return address.port
}

async function isDynoxide(endpoint: string): Promise<boolean> {
  try {
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(1_000) })
    await response.body?.cancel()
    return response.headers.has('x-dynoxide-version')
  } catch {
    return false
  }
}

/** The engine of the last run, and the directory that it was started for. */
type Running = { pid: number; endpoint: string; of?: string }

/** A foreign binary outlives a parent that was killed: the one of the last run is ended before its file is opened again. */
async function endStale(dir: string, pidFile: string): Promise<void> {
  const last = readJson<Running>(pidFile)
  if (!last) return
  // In a copy of a directory it is the engine of that one, which may be at work. Older files do not say.
  const isOwn = last.of === undefined || last.of === identityOf(dir)
  // The pid may belong to another program by now; the port says whether it is ours.
  if (isOwn && (await isDynoxide(last.endpoint))) {
    try {
      process.kill(last.pid, 'SIGKILL')
    } catch {
      // It ended between the question and the signal.
    }
    for (let i = 0; i < 40 && (await isDynoxide(last.endpoint)); i++) await sleep(25)
  }
  rmSync(pidFile, { force: true })
}

/** Without this index a write gets slower with every stream record that was ever written. */
function indexStream(file: string): void {
  const db = new DatabaseSync(file, { timeout: 5_000 })
  try {
    db.exec(
      'CREATE INDEX IF NOT EXISTS local_stream_order ON _stream_records(table_name, CAST(sequence_number AS INTEGER))',
    )
  } finally {
    db.close()
  }
}

async function attempt(binary: string, dir: string, pidFile: string): Promise<Dynoxide | undefined> {
  const host = loopbackAddress()
  const port = await freePort(host)
  const endpoint = `http://${host}:${port}`
  const log = openSync(join(dir, 'dynamodb.log'), 'w')
  let child: ChildProcess
  try {
    child = spawn(binary, ['--host', host, '--port', String(port), '--db-path', databaseFile(dir)], {
      stdio: ['ignore', log, log],
    })
  } finally {
    closeSync(log)
  }
  let failure: Error | undefined
  let running = true
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      failure = error
      running = false
      resolve()
    })
    child.once('exit', () => {
      running = false
      resolve()
    })
  })
  if (child.pid) {
    const running: Running = { pid: child.pid, endpoint, of: identityOf(dir) }
    writeFileSync(pidFile, JSON.stringify(running), { mode: 0o600 })
  }
  const end = performance.now() + 5_000
  while (running && performance.now() < end) {
    if (await isDynoxide(endpoint)) {
      if (!running) break
      return {
        endpoint,
        exited,
        async stop() {
          if (running) child.kill('SIGTERM')
          const timer = setTimeout(() => child.kill('SIGKILL'), 2_000)
          await exited
          clearTimeout(timer)
          rmSync(pidFile, { force: true })
        },
      }
    }
    await sleep(5)
  }
  if (running) child.kill('SIGKILL')
  await exited
  if (failure) throw new Fault(`The DynamoDB engine ${binary} cannot be started: ${failure.message}`)
}

/** Starts the DynamoDB engine on the directory's file. The caller holds the directory's engine lock. */
export async function startDynoxide(binary: string, dir: string): Promise<Dynoxide> {
  const pidFile = join(dir, 'dynamodb.pid')
  await endStale(dir, pidFile)
  const file = databaseFile(dir)
  // SQLite takes an empty file for a new database, so its content would be lost without a word.
  if (statSync(file, { throwIfNoEntry: false })?.size === 0) {
    throw new Fault(
      `The table file ${file} is empty. Put a copy of it in its place, or remove it to begin with an empty table.`,
    )
  }
  // Another program may take the free port first: a second and third try.
  for (let i = 0; i < 3; i++) {
    const engine = await attempt(binary, dir, pidFile)
    if (!engine) continue
    indexStream(databaseFile(dir))
    return engine
  }
  const log = readFileSync(join(dir, 'dynamodb.log'), 'utf8').trim().split('\n').at(-1) ?? ''
  if (/malformed|not a valid SQLite database|not a database/.test(log)) {
    throw new Fault(
      `The table file ${databaseFile(dir)} is damaged. Put a copy of the data directory in its place, or move ${dir} away to begin with an empty one.`,
    )
  }
  throw new Fault(`The DynamoDB engine ${binary} did not start on ${dir}: ${log || 'it said nothing'}`)
}
