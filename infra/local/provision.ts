import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { askControl } from './control.ts'
import { closeDataDir, dataPath, openDataDir, readJson } from './data-dir.ts'
import { credentialsFile } from './demo-account.ts'
import { Fault, reportFault } from './fault.ts'
import { startService } from './service.ts'

const print = process.stdout.write.bind(process.stdout)

async function readEvent(): Promise<unknown> {
  const [argument, ...more] = process.argv.slice(2)
  if (argument === undefined || more.length > 0) {
    throw new Fault("Use: npm run provision -- '<event as JSON>', or - to read it from standard input.")
  }
  const json = argument === '-' ? await text(process.stdin) : argument
  try {
    return JSON.parse(json)
  } catch {
    throw new Fault('The event is not valid JSON.')
  }
}

/** Runs the function without a service around it: the engines live as long as the call. */
async function provisionAlone(event: unknown): Promise<unknown> {
  const path = dataPath()
  const dir = openDataDir(path)
  if (!dir) return undefined
  const baseUrl = readJson<{ base_url: string }>(credentialsFile(path))?.base_url ?? 'http://127.0.0.1:8787'
  try {
    const service = await startService(dir, baseUrl)
    try {
      return await service.provision(event)
    } finally {
      await service.stop()
    }
  } finally {
    closeDataDir(dir)
  }
}

/** The running service does it, if one has the data directory; it may be about to start or to end. */
async function provision(event: unknown): Promise<unknown> {
  for (let i = 0; i < 100; i++) {
    const result = (await askControl(dataPath(), event)) ?? (await provisionAlone(event))
    if (result !== undefined) return result
    await sleep(100)
  }
  throw new Fault(`A service has the data directory ${dataPath()} and does not answer.`)
}

try {
  const event = await readEvent()
  // What the function logs must not mix with the result.
  process.stdout.write = process.stderr.write.bind(process.stderr)
  const result = await provision(event)
  const failed = typeof result === 'object' && result !== null && 'error' in result
  print(`${JSON.stringify(result, null, 2)}\n`, () => process.exit(failed ? 1 : 0))
} catch (error) {
  reportFault(error)
  process.exit(1)
}
