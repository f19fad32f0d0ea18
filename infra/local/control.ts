import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openInnerServer } from './api/open-server.ts'
import { directoryIdentity, readJson, writeAtomically } from './files/data-dir.ts'
import type { Task } from './service.ts'

/** Control address of the running service. `of` identifies the data directory, so that the address in a copied directory is not used. */
type Address = { url: string; of: string }

const controlFile = (dir: string) => join(dir, 'control.json')

/**
 * Opens the local port through which operator commands invoke functions. Only the owner of the data directory can read the port's address.
 * This restriction replaces IAM.
 */
export async function openControl(dir: string, runTask: (task: Task, event: unknown) => Promise<unknown>) {
  const { endpoint: url, stop } = await openInnerServer(async (_request, task, event) => ({
    status: 200,
    body: await runTask(task as Task, JSON.parse(event.toString())),
  }))
  writeAtomically(controlFile(dir), JSON.stringify({ url, of: directoryIdentity(dir) } satisfies Address))
  return {
    async close() {
      rmSync(controlFile(dir), { force: true })
      await stop()
    },
  }
}

/** Runs a task in the service that uses the data directory; undefined if no service runs. */
export async function runByControl(dir: string, task: Task, event: unknown): Promise<unknown> {
  const address = readJson<Address>(controlFile(dir))
  if (!address || address.of !== directoryIdentity(dir)) return undefined
  const request = { method: 'POST', body: JSON.stringify(event) }
  const response = await fetch(`${address.url}/${task}`, request).catch(() => undefined)
  if (!response) return undefined
  if (!response.ok) throw new Error(`The running service returned ${response.status}.`)
  return response.json()
}
