import { once } from 'node:events'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type DataDir, dataPath, openDataDir, openTemporaryDir } from './data-dir.ts'
import { Fault, fullDisk, reportFault } from './fault.ts'

const defaultPort = 8787

type Options = { port: number; ephemeral: boolean; newDemo: boolean }

function readOptions(argv: string[]): Options {
  const unknown = argv.find((argument) => !['--ephemeral', '--new-demo'].includes(argument))
  if (unknown) throw new Fault(`Unknown option ${unknown}. Use: npm start [-- --ephemeral | --new-demo]`)
  const text = process.env.PORT || String(defaultPort)
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new Fault(`PORT=${text} is no port number.`)
  return { port, ephemeral: argv.includes('--ephemeral'), newDemo: argv.includes('--new-demo') }
}

function openDir({ ephemeral }: Options): DataDir {
  const dir = ephemeral ? openTemporaryDir() : openDataDir(dataPath())
  if (dir) return dir
  throw new Fault(
    `Another service runs on the data directory ${dataPath()}. Stop it, or set DATA_DIR (and PORT) to others.`,
  )
}

function stopSignal(): { stopped: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let asked = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // Who asks twice does not want to wait; the data is safe either way.
      if (asked) process.exit(130)
      asked = true
      resolve()
    })
  }
  return { stopped: promise }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  const { stopped } = stopSignal()
  const dir = openDir(options)
  // Kept beside the packages: most of the start is loading them.
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)))
  const { run } = await import('./run.ts')
  const running = await run(dir, options).catch((error: unknown) => {
    throw fullDisk(error, dir.path) ?? error
  })
  process.stdout.write(running.screen)
  const failure = await Promise.race([running.failed, stopped])
  await running.stop()
  if (failure) throw new Fault(failure)
}

try {
  await main()
  process.exit(0)
} catch (error) {
  reportFault(error)
  if (process.stderr.writableLength > 0) await once(process.stderr, 'drain')
  process.exit(1)
}
