import { setTimeout as sleep } from 'node:timers/promises'
import { build } from '../local/build/builds.ts'
import { runByControl } from '../local/control.ts'
import { credentialsFile } from '../local/demo/demo-account.ts'
import { closeDataDir, dataPath, openDataDir, readJson } from '../local/files/data-dir.ts'
import { StartupError } from '../local/files/fault.ts'
import { isDataDir } from '../local/secret-file.ts'
import { startService, type Task } from '../local/service.ts'

/** Starts the service only for this task. Returns undefined if another process uses the data directory. */
async function runAlone(task: Task, event: unknown): Promise<unknown> {
  const path = dataPath()
  // Rejects a missing directory, because checks would succeed on empty data.
  if (task !== 'provision-account' && !isDataDir(path)) {
    throw new StartupError(
      `The data directory ${path} does not exist. Set DATA_DIR to the data directory of the service.`,
    )
  }
  const dir = openDataDir(path)
  if (!dir) return undefined
  const baseUrl = readJson<{ base_url: string }>(credentialsFile(path))?.base_url ?? 'http://127.0.0.1:8787'
  await using stack = new AsyncDisposableStack()
  stack.defer(() => closeDataDir(dir))
  const service = await startService(dir, baseUrl, build(path, ['functions', 'deployment']))
  stack.defer(() => service.stop())
  return await service.runTask(task, event)
}

/** Runs a task in the running service, or alone if there is none. Retries while a service starts or stops. */
export async function runTask(task: Task, event: unknown): Promise<unknown> {
  for (let i = 0; i < 100; i++) {
    const result = (await runByControl(dataPath(), task, event)) ?? (await runAlone(task, event))
    if (result !== undefined) return result
    await sleep(100)
  }
  throw new StartupError(`A service uses the data directory ${dataPath()} but does not respond. Stop it and try again.`)
}
