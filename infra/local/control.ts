import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openInnerServer } from './api/open-server.ts'
import { readJson, tableIdentity, writeAtomically } from './files/data-dir.ts'
import type { Task } from './service.ts'

/** Address of the service of a directory, of no use in a copy of the directory. */
type Address = { url: string; of: string }

const fileOf = (dir: string) => join(dir, 'control.json')

/**
 * The stand-in for IAM: a port on the loopback whose address lies in the data directory, readable by its owner only. It hands
 * events to the functions of the operator's commands.
 */
export async function openControl(dir: string, runTask: (task: Task, event: unknown) => Promise<unknown>) {
  const { endpoint: url, stop } = await openInnerServer(async (_request, task, event) => ({
    status: 200,
    body: await runTask(task as Task, JSON.parse(event.toString())),
  }))
  writeAtomically(fileOf(dir), JSON.stringify({ url, of: tableIdentity(dir) } satisfies Address))
  return {
    async close() {
      rmSync(fileOf(dir), { force: true })
      await stop()
    },
  }
}

/** Asks the service that runs on the data directory. Undefined when none answers. */
export async function askControl(dir: string, task: Task, event: unknown): Promise<unknown> {
  const address = readJson<Address>(fileOf(dir))
  if (!address || address.of !== tableIdentity(dir)) return undefined
  const request = { method: 'POST', body: JSON.stringify(event) }
  const response = await fetch(`${address.url}/${task}`, request).catch(() => undefined)
  if (!response) return undefined
  if (!response.ok) throw new Error(`The running service answered ${response.status}.`)
  return response.json()
}
