import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from '../local/build/builds.ts'
import { claimDataDir, type DataDir, dataPath, openTemporaryDir, recordStopping } from '../local/files/data-dir.ts'
import { fullDisk, reportFault, StartupError } from '../local/files/fault.ts'

const flags = ['--ephemeral', '--new-demo', '--demo-idp']

function readPort(variable: string, fallback: number): number {
  const text = process.env[variable] || String(fallback)
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new StartupError(`${variable}=${text} is not a port number.`)
  return port
}

function readOptions(argv: string[]) {
  // Finds options that npm consumed. For each option before `--`, npm sets an environment variable instead of passing the option on.
  const lostFlag = flags.find((flag) => process.env[`npm_config_${flag.slice(2).replaceAll('-', '_')}`])
  if (lostFlag)
    throw new StartupError(
      `The option ${lostFlag} was consumed by npm and did not reach the service. Use: npm start -- ${lostFlag}`,
    )
  const unknown = argv.find((argument) => !flags.includes(argument))
  if (unknown) throw new StartupError(`Unknown option ${unknown}. Use: npm start [-- ${flags.join(' | ')}]`)
  const port = readPort('PORT', 8787)
  // Derives the provider's port from the service's port, so that the provider's address stays constant.
  const demoIdpPort = argv.includes('--demo-idp') ? readPort('DEMO_IDP_PORT', port === 0 ? 0 : port + 1) : null
  return { port, ephemeral: argv.includes('--ephemeral'), newDemo: argv.includes('--new-demo'), demoIdpPort }
}

/**
 * Exits immediately on a second signal, or on a signal during startup. The first signal stops the service gracefully. Data is safe either
 * way.
 */
const endAtOnce = () => process.exit(130)

/** Runs the built server. The CDK, esbuild and TypeScript are never loaded in this process, because they would keep 500 MB of memory. */
async function runBuilt(dir: DataDir, options: ReturnType<typeof readOptions>) {
  const builds = build(dir.path, ['server', 'functions', 'deployment'])
  const server = await builds.server
  // Caches the compiled code beside the files, so that both are removed together.
  enableCompileCache(join(server, 'compiled'))
  const { run }: typeof import('../local/run.ts') = await import(pathToFileURL(join(server, 'run.mjs')).href)
  return run(dir, options, builds)
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  } catch {
    // Ignores the error, because an engine that is ending may still write.
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  let onSignal: () => void = endAtOnce
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => onSignal())
  process.stdout.write('\n  Starting …\n')
  const dir = options.ephemeral ? openTemporaryDir() : await claimDataDir(dataPath())
  const starting = runBuilt(dir, options)
  // Removes the directory also if a signal ends the process during its start, after the listener that ends the build.
  if (dir.ephemeral) process.once('exit', () => removeQuietly(dir.path))
  const running = await starting.catch((error: unknown) => {
    throw fullDisk(error, dir.path) ?? error
  })
  const { promise: stopSignal, resolve } = Promise.withResolvers<void>()
  onSignal = () => {
    onSignal = endAtOnce
    resolve()
  }
  process.stdout.write(running.screen)
  const failure = await Promise.race([running.failed, stopSignal])
  recordStopping(dir)
  await running.stop()
  if (failure) throw new StartupError(failure)
}

try {
  await main()
  process.exit(0)
} catch (error) {
  reportFault(error)
  if (process.stderr.writableLength > 0) await once(process.stderr, 'drain')
  process.exit(1)
}
