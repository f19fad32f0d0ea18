import { existsSync, globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fullDisk, messageOf, StartupError } from '../files/fault.ts'
import { waitForLock } from '../files/lock.ts'
import { startTableProxy } from './browser-requests.ts'
import { type Dynoxide, databaseFile, startDynoxide, trimStream } from './dynoxide.ts'
import { startKinesis, streamDirectory } from './kinesis.ts'

/** Options for the process that runs the engines. The process stops the engines when the IPC channel to its parent closes. */
export type HostOptions = { dir: string; dynoxide: string | null; kinesis: boolean; removeAtExit: boolean }
export type HostMessage =
  | { type: 'ready'; dynamodb: string | null; kinesis: string | null }
  | { type: 'fault'; message: string }

/** Removes checkpoints of deleted streams. With an outdated position, a consumer would skip records of the new stream. */
function removeStaleCheckpoints(dir: string): void {
  const forget = (kind: 'kinesis' | 'dynamodb') => {
    for (const file of globSync(`checkpoints/*.${kind}.json`, { cwd: dir })) rmSync(join(dir, file))
  }
  if (!existsSync(streamDirectory(dir))) forget('kinesis')
  if (existsSync(databaseFile(dir))) return
  forget('dynamodb')
  rmSync(join(dir, 'stream-handled.json'), { force: true })
}

/** Trims the table's stream. Returns the error message instead of throwing, because a failure costs only disk space. */
function trim(dir: string): string | undefined {
  try {
    trimStream(dir)
  } catch (error) {
    return messageOf(error)
  }
}

async function main(options: HostOptions): Promise<void> {
  const { dir } = options
  let starting: Promise<Dynoxide | undefined> | undefined
  let ending = false
  const end = async (fault?: string) => {
    if (ending) return
    ending = true
    await starting?.then((dynamodb) => dynamodb?.stop()).catch(() => undefined)
    if (options.removeAtExit) rmSync(dir, { recursive: true, force: true })
    if (fault !== undefined) await sendToParent({ type: 'fault', message: fault })
    process.exit(fault === undefined ? 0 : 1)
  }
  const fail = (error: unknown) => end(messageOf(fullDisk(error, dir) ?? error))
  process.once('disconnect', () => end())
  process.on('message', () => end())
  // Ignores Ctrl-C, which this process receives too, because the parent decides when to stop.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => end())
  // Handles file errors that the Kinesis engine throws asynchronously, outside any `try` block.
  process.on('uncaughtException', fail)
  try {
    const lock = await waitForLock(join(dir, 'engines.lock'), 8_000)
    if (!lock) throw new StartupError(`The engines of an earlier run still use the data directory ${dir}.`)
    if (ending) return
    removeStaleCheckpoints(dir)
    const trimFault = options.dynoxide && trim(dir)
    starting = options.dynoxide ? startDynoxide(options.dynoxide, dir) : Promise.resolve(undefined)
    const [dynamodb, kinesis] = await Promise.all([starting, options.kinesis ? startKinesis(dir) : null])
    dynamodb?.exited.then(() => fail(new StartupError('The DynamoDB engine ended unexpectedly.')))
    if (trimFault) process.stderr.write(`Old records could not be removed from the stream of the table: ${trimFault}\n`)
    // A page could guess the port on 127.0.0.1. A random address needs no proxy (`loopbackAddress`).
    const isGuessable = dynamodb?.endpoint.startsWith('http://127.0.0.1:')
    const table = dynamodb && isGuessable ? await startTableProxy(dynamodb.endpoint) : dynamodb
    await sendToParent({ type: 'ready', dynamodb: table?.endpoint ?? null, kinesis })
  } catch (error) {
    await fail(error)
  }
}

const sendToParent = (message: HostMessage) =>
  new Promise<void>((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
    else resolve()
  })

if (process.send) await main(JSON.parse(process.argv[2] ?? '{}'))
