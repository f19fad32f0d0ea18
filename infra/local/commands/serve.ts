import { once } from 'node:events'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { claimDataDir, dataPath, noteEnding, openTemporaryDir } from '../data-dir.ts'
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
  // npm keeps options before `--` for itself and sets a variable for each.
  const lost = flags.find((flag) => process.env[`npm_config_${flag.slice(2).replaceAll('-', '_')}`])
  if (lost) throw new Fault(`The option ${lost} did not reach the service. Use: npm start -- ${lost}`)
  const unknown = argv.find((argument) => !flags.includes(argument))
  if (unknown) throw new Fault(`Unknown option ${unknown}. Use: npm start [-- ${flags.join(' | ')}]`)
  const port = readPort('PORT', defaultPort)
  // The one after the service's, so that the provider keeps its address from start to start.
  const demoIdpPort = argv.includes('--demo-idp') ? readPort('DEMO_IDP_PORT', port === 0 ? 0 : port + 1) : null
  return { port, ephemeral: argv.includes('--ephemeral'), newDemo: argv.includes('--new-demo'), demoIdpPort }
}

/** The first signal ends the service in order. A second one, or one during the start, ends it at once: the data is safe either way. */
function stopSignal(): { stopped: Promise<void>; ready(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isReady = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!isReady) process.exit(130)
      isReady = false
      resolve()
    })
  }
  return {
    stopped: promise,
    ready() {
      isReady = true
    },
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  const { stopped, ready } = stopSignal()
  process.stdout.write('\n  Starting …\n')
  const dir = options.ephemeral ? openTemporaryDir() : await claimDataDir(dataPath())
  // Kept beside the packages: most of the start is loading them.
  enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url)))
  const { run } = await import('../run.ts')
  const running = await run(dir, options).catch((error: unknown) => {
    throw fullDisk(error, dir.path) ?? error
  })
  ready()
  process.stdout.write(running.screen)
  const failure = await Promise.race([running.failed, stopped])
  noteEnding(dir)
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
