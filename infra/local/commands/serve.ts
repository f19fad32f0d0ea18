import { once } from 'node:events'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type DataDir, dataPath, openDataDir, openTemporaryDir } from '../data-dir.ts'
import { Fault, fullDisk, reportFault } from '../fault.ts'

const defaultPort = 8787

type Options = { port: number; ephemeral: boolean; newDemo: boolean; demoIdpPort: number | null }

const flags = ['--ephemeral', '--new-demo', '--demo-idp']

/** @throws Fault where the variable is no port */
function readPort(variable: string, fallback: number): number {
  const text = process.env[variable] || String(fallback)
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new Fault(`${variable}=${text} is no port number.`)
  return port
}

function readOptions(argv: string[]): Options {
  const unknown = argv.find((argument) => !flags.includes(argument))
  if (unknown) throw new Fault(`Unknown option ${unknown}. Use: npm start [-- ${flags.join(' | ')}]`)
  const port = readPort('PORT', defaultPort)
  // The one after the service's, so that the provider keeps its address from start to start.
  const demoIdpPort = argv.includes('--demo-idp') ? readPort('DEMO_IDP_PORT', port === 0 ? 0 : port + 1) : null
  return { port, ephemeral: argv.includes('--ephemeral'), newDemo: argv.includes('--new-demo'), demoIdpPort }
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
  enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url)))
  const { run } = await import('../run.ts')
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
