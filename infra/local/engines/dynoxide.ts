import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { directoryIdentity, readJson, writeAtomically } from '../files/data-dir.ts'
import { StartupError } from '../files/fault.ts'

export type Dynoxide = { endpoint: string; exited: Promise<void>; stop(): Promise<void> }

export const databaseFile = (dir: string): string => join(dir, 'dynamodb.db')

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const isDynoxide = (endpoint: string): Promise<boolean> =>
  fetch(endpoint, { signal: AbortSignal.timeout(1_000) })
    .then(async ({ body, headers }) => {
      await body?.cancel()
      return headers.has('x-dynoxide-version')
    })
    .catch(() => false)

/** Kills the engine of an earlier run before its file is opened again. An engine can survive when its parent process is killed. */
async function killStaleEngine(dir: string, pidFile: string): Promise<void> {
  const last = readJson<{ pid: number; endpoint: string; of: string }>(pidFile)
  if (!last) return
  // Kills only the engine of this directory. A copied directory names the original's engine, and the pid may have been reused.
  if (last.of === directoryIdentity(dir) && (await isDynoxide(last.endpoint))) {
    try {
      process.kill(last.pid, 'SIGKILL')
    } catch {
      // Ignores a process that exited between the check and the signal.
    }
    for (let i = 0; i < 40 && (await isDynoxide(last.endpoint)); i++) await sleep(25)
  }
  rmSync(pidFile, { force: true })
}

/** Creates an index, without which writes slow down as the number of stream records grows. */
function indexStream(file: string): void {
  using db = new DatabaseSync(file, { timeout: 5_000 })
  db.exec(
    'CREATE INDEX IF NOT EXISTS local_stream_order ON _stream_records(table_name, CAST(sequence_number AS INTEGER))',
  )
}

async function tryStart(binary: string, dir: string, pidFile: string): Promise<Dynoxide | undefined> {
  const host = loopbackAddress()
  const port = await freePort(host)
  const endpoint = `http://${host}:${port}`
  const log = openSync(join(dir, 'dynamodb.log'), 'w')
  const options = ['--host', host, '--port', String(port), '--db-path', databaseFile(dir)]
  const child = spawn(binary, options, { stdio: ['ignore', log, log] })
  closeSync(log)
  let failure: Error | undefined
  let running = true
  const exited = once(child, 'exit')
    .catch((error: Error) => {
      failure = error
    })
    .then(() => {
      running = false
    })
  if (child.pid) writeAtomically(pidFile, JSON.stringify({ pid: child.pid, endpoint, of: directoryIdentity(dir) }))
  for (const end = performance.now() + 5_000; running && performance.now() < end; await sleep(5)) {
    if (!(await isDynoxide(endpoint)) || !running) continue
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
  if (running) child.kill('SIGKILL')
  await exited
  if (failure) throw new StartupError(`The DynamoDB engine ${binary} cannot be started: ${failure.message}`)
}

/** Starts the DynamoDB engine on the directory's file. The caller must hold the directory's engine lock. */
export async function startDynoxide(binary: string, dir: string): Promise<Dynoxide> {
  const pidFile = join(dir, 'dynamodb.pid')
  await killStaleEngine(dir, pidFile)
  const file = databaseFile(dir)
  // Rejects an empty file, which SQLite treats as a new database. A truncated file would silently become an empty table.
  if (statSync(file, { throwIfNoEntry: false })?.size === 0) {
    throw new StartupError(
      `The table file ${file} is empty. Replace it with a backup, or remove it to start with an empty table.`,
    )
  }
  // Retries, because another program may take the free port first.
  for (let i = 0; i < 3; i++) {
    const engine = await tryStart(binary, dir, pidFile)
    if (!engine) continue
    indexStream(file)
    return engine
  }
  const log = readFileSync(join(dir, 'dynamodb.log'), 'utf8').trim().split('\n').at(-1) ?? ''
  if (/malformed|not a valid SQLite database|not a database/.test(log)) {
    throw new StartupError(
      `The table file ${file} is damaged. Replace the data directory with a backup, or move ${dir} away to start with an empty one.`,
    )
  }
  throw new StartupError(`The DynamoDB engine ${binary} did not start on ${dir}: ${log || 'it printed nothing'}`)
}

/**
 * Returns a random loopback address, which browser pages cannot guess. The engine has no password and allows every origin. Local programs
 * can still list listening ports.
 */
export const loopbackAddress = (platform = process.platform): string =>
  // Uses 127.0.0.1 on other systems, which assign only this address of 127.0.0.0/8 to the loopback interface.
  ['linux', 'win32'].includes(platform)
    ? `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
    : '127.0.0.1'

const require = createRequire(import.meta.url)

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Finds the DynamoDB engine's binary in DYNOXIDE_BIN, the platform's package, or PATH.
 * @throws StartupError if there is none
 */
export function findDynoxide(
  environment: NodeJS.ProcessEnv = process.env,
  platform = `${process.platform}-${process.arch}`,
): string {
  const name = `@dynoxide/${platform}`
  const configuredPath = environment.DYNOXIDE_BIN
  if (configuredPath) {
    if (isExecutable(configuredPath)) return configuredPath
    throw new StartupError(`DYNOXIDE_BIN names ${configuredPath}, which is not an executable file.`)
  }
  const inPackages = (require.resolve.paths(name) ?? []).flatMap((folder) =>
    ['dynoxide', 'dynoxide.exe'].map((file) => join(folder, name, file)),
  )
  const inPath = (environment.PATH ?? '').split(delimiter).map((folder) => join(folder, 'dynoxide'))
  const found = [...inPackages, ...inPath].find(isExecutable)
  if (found) return found
  throw new StartupError(
    `No DynamoDB engine for ${platform} was found. Install the package ${name}, put "dynoxide" on PATH, or set DYNOXIDE_BIN to its path. Alternatively, set DYNAMODB_ENDPOINT to DynamoDB Local or another table service.`,
  )
}

const chunk = 5_000

/**
 * Removes the stream records that every consumer has handled, because the engine never does. Must run before the engine opens the file.
 * Keeps the last record, because sequence numbers would otherwise start again from the beginning.
 */
export function trimStream(dir: string): void {
  const checkpoint = readJson<{ table: string; before: string }>(join(dir, 'stream-handled.json'))
  if (!checkpoint || !existsSync(databaseFile(dir))) return
  using db = new DatabaseSync(databaseFile(dir), { timeout: 1_000 })
  const remove = db.prepare(
    `DELETE FROM _stream_records WHERE id IN (
       SELECT id FROM _stream_records
       WHERE table_name = :table AND CAST(sequence_number AS INTEGER) < CAST(:before AS INTEGER)
         AND id < (SELECT max(id) FROM _stream_records WHERE table_name = :table)
       LIMIT ${chunk})`,
  )
  while (remove.run(checkpoint).changes === chunk);
}
