import { existsSync, globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fullDisk, messageOf, StartupError } from '../files/fault.ts'
import { waitForLock } from '../files/lock.ts'
import { type Dynoxide, databaseFile, startDynoxide, trimStream } from './dynoxide.ts'
import { startKinesis, streamDirectory } from './kinesis.ts'
import { startTableFront } from './table-front.ts'

/** Process of the engines. It ends them and itself when the channel to its parent closes, however the parent dies. */
export type HostOptions = {
  dir: string
  dynoxide: string | null
  kinesis: boolean
  /** True to put the front before the table's engine (`startTableFront`). */
  front: boolean
  removeAtExit: boolean
}
export type HostMessage =
  | { type: 'ready'; dynamodb: string | null; kinesis: string | null }
  | { type: 'fault'; message: string }

/** A position in a stream that is no longer there would hide what the new one carries. */
function forgetPositions(dir: string): void {
  const forget = (kind: 'kinesis' | 'dynamodb') => {
    for (const file of globSync(`checkpoints/*.${kind}.json`, { cwd: dir })) rmSync(join(dir, file))
  }
  if (!existsSync(streamDirectory(dir))) forget('kinesis')
  if (existsSync(databaseFile(dir))) return
  forget('dynamodb')
  rmSync(join(dir, 'stream-handled.json'), { force: true })
}

/** Old records cost only space: when they cannot be removed, the next start tries again. Answers why not. */
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
    if (fault !== undefined) await tell({ type: 'fault', message: fault })
    process.exit(fault === undefined ? 0 : 1)
  }
  const fail = (error: unknown) => end(messageOf(fullDisk(error, dir) ?? error))
  process.once('disconnect', () => end())
  process.on('message', () => end())
  // The parent decides when to end; a Ctrl-C at the terminal reaches this process too.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => end())
  // The Kinesis engine throws what happens to its files where nobody can catch it.
  process.on('uncaughtException', fail)
  try {
    const lock = await waitForLock(join(dir, 'engines.lock'), 8_000)
    if (!lock) throw new StartupError(`The engines of another run still use the data directory ${dir}.`)
    if (ending) return
    forgetPositions(dir)
    const untrimmed = options.dynoxide && trim(dir)
    starting = options.dynoxide ? startDynoxide(options.dynoxide, dir) : Promise.resolve(undefined)
    const [dynamodb, kinesis] = await Promise.all([starting, options.kinesis ? startKinesis(dir) : null])
    dynamodb?.exited.then(() => fail(new StartupError('The DynamoDB engine ended unexpectedly.')))
    if (untrimmed) process.stderr.write(`The table's stream was not trimmed: ${untrimmed}\n`)
    const table = dynamodb && options.front ? await startTableFront(dynamodb.endpoint) : dynamodb
    await tell({ type: 'ready', dynamodb: table?.endpoint ?? null, kinesis })
  } catch (error) {
    await fail(error)
  }
}

/** Resolves when the message is on its way, also when nobody hears it any more. */
const tell = (message: HostMessage) =>
  new Promise<void>((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
    else resolve()
  })

if (process.send) await main(JSON.parse(process.argv[2] ?? '{}'))
