import { mkdirSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { Fault } from '../fault.ts'
import { type Dynoxide, startDynoxide } from './dynoxide.ts'
import { waitForLock } from './lock.ts'
import { startTableFront } from './table-front.ts'
import { trimStream } from './trim-stream.ts'

/**
 * The process that holds the engines: it ends them and itself when the channel to its parent closes, which happens
 * however the parent dies.
 */
export type HostOptions = { dir: string; dynoxide: string | null; kinesis: boolean; removeAtExit: boolean }
export type HostMessage =
  | { type: 'ready'; dynamodb: string | null; kinesis: string | null }
  | { type: 'fault'; message: string }

async function startKinesis(path: string): Promise<{ server: Server; endpoint: string }> {
  mkdirSync(path, { recursive: true })
  const { default: kinesalite } = await import('kinesalite')
  const server: Server = kinesalite({ path, createStreamMs: 0, deleteStreamMs: 0, updateStreamMs: 0, shardLimit: 64 })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The Kinesis engine has no port.')
  return { server, endpoint: `http://127.0.0.1:${address.port}` }
}

function trim(dir: string): void {
  try {
    trimStream(dir)
  } catch (error) {
    // Old records cost only space: the next start tries again.
    process.stderr.write(`The table's stream was not trimmed: ${(error as Error).message}\n`)
  }
}

async function main(options: HostOptions): Promise<void> {
  const tell = (message: HostMessage) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
  }
  let starting: Promise<Dynoxide | undefined> | undefined
  let ending = false
  const end = async () => {
    if (ending) return
    ending = true
    await starting?.then((dynamodb) => dynamodb?.stop()).catch(() => undefined)
    if (options.removeAtExit) rmSync(options.dir, { recursive: true, force: true })
    process.exit(0)
  }
  process.once('disconnect', end)
  process.on('message', end)
  // The parent decides when to end; a Ctrl-C at the terminal reaches this process too.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', end)
  try {
    const lock = await waitForLock(join(options.dir, 'engines.lock'), 8_000)
    if (!lock) throw new Fault(`The engines of another run still use the data directory ${options.dir}.`)
    if (ending) return
    if (options.dynoxide) trim(options.dir)
    starting = options.dynoxide ? startDynoxide(options.dynoxide, options.dir) : Promise.resolve(undefined)
    const [dynamodb, stream] = await Promise.all([
      starting,
      options.kinesis ? startKinesis(join(options.dir, 'kinesis')) : undefined,
    ])
    dynamodb?.exited.then(() => {
      if (ending) return
      tell({ type: 'fault', message: 'The DynamoDB engine ended unexpectedly.' })
      setTimeout(() => process.exit(1), 50)
    })
    const front = dynamodb && (await startTableFront(dynamodb.endpoint))
    tell({ type: 'ready', dynamodb: front?.endpoint ?? null, kinesis: stream?.endpoint ?? null })
  } catch (error) {
    tell({ type: 'fault', message: error instanceof Fault ? error.message : String((error as Error).message) })
    setTimeout(() => process.exit(1), 50)
  }
}

if (process.send) await main(JSON.parse(process.argv[2] ?? '{}'))
