import { setTimeout as sleep } from 'node:timers/promises'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { askControl } from '../control.ts'
import { closeDataDir, dataPath, openDataDir, readJson } from '../data-dir.ts'
import { credentialsFile } from '../demo-account.ts'
import { Fault, reportFault } from '../fault.ts'
import { isDataDir } from '../secret-file.ts'
import { startService, type Task } from '../service.ts'

const print = process.stdout.write.bind(process.stdout)

/** Runs the function without a service around it: the engines live as long as the call. */
async function runAlone(task: Task, event: unknown): Promise<unknown> {
  const path = dataPath()
  // What looks into a directory where nothing is would find all of it well.
  if (task !== 'provision-account' && !isDataDir(path)) {
    throw new Fault(`There is no data directory ${path}. Set DATA_DIR to that of the service.`)
  }
  const dir = openDataDir(path)
  if (!dir) return undefined
  const baseUrl = readJson<{ base_url: string }>(credentialsFile(path))?.base_url ?? 'http://127.0.0.1:8787'
  try {
    const service = await startService(dir, baseUrl)
    try {
      return await service.runTask(task, event)
    } finally {
      await service.stop()
    }
  } finally {
    closeDataDir(dir)
  }
}

/** The running service does it, if one has the data directory; it may be about to start or to end. */
async function run(task: Task, event: unknown): Promise<unknown> {
  for (let i = 0; i < 100; i++) {
    const result = (await askControl(dataPath(), task, event)) ?? (await runAlone(task, event))
    if (result !== undefined) return result
    await sleep(100)
  }
  throw new Fault(`A service has the data directory ${dataPath()} and does not answer.`)
}

const noJson = { code: 'invalid_json', detail: 'The event is not valid JSON.' }

/** An operator's command: runs a function with an event, prints its answer, and ends the process; 1 when it failed. */
export async function runTask(
  task: Task,
  readEvent: () => Promise<unknown>,
  failed: (answer: Record<string, unknown>) => boolean = () => false,
): Promise<void> {
  try {
    const event = await readEvent()
    // The function's own log must not mix with the result.
    process.stdout.write = process.stderr.write.bind(process.stderr)
    const result = event === undefined ? { error: noJson } : fieldsOf(await run(task, event))
    print(`${JSON.stringify(result, null, 2)}\n`, () => process.exit('error' in result || failed(result) ? 1 : 0))
  } catch (error) {
    reportFault(error)
    process.exit(1)
  }
}
