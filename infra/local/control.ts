import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf, readJson, writeAtomically } from './data-dir.ts'
import { listen, openServer } from './http-server.ts'
import type { Task } from './service.ts'

/** Where the service of a directory is asked; in a copy of the directory it leads nowhere. */
type Address = { url: string; token: string; of?: string }

const fileOf = (dir: string) => join(dir, 'control.json')

const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * What stands here for IAM: a second port on the loopback whose token lies in the data directory, readable by its
 * owner only. It hands events to the functions of the operator's commands.
 */
export async function openControl(dir: string, runTask: (task: Task, event: unknown) => Promise<unknown>) {
  const token = randomBytes(32).toString('base64url')
  const server = openServer(async (request, response) => {
    const given = digest(request.headers.authorization ?? '')
    if (request.method !== 'POST' || !timingSafeEqual(given, digest(`Bearer ${token}`))) {
      response.writeHead(403).end()
      return
    }
    try {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { task, event } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      const result = await runTask(task, event)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result))
    } catch (error) {
      process.stderr.write(`control: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`)
      response.writeHead(500).end()
    }
  })
  const port = await listen(server, 0)
  writeAtomically(
    fileOf(dir),
    JSON.stringify({ url: `http://127.0.0.1:${port}`, token, of: identityOf(dir) } satisfies Address),
  )
  return {
    close() {
      rmSync(fileOf(dir), { force: true })
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Asks the service that runs on the data directory. Undefined when none answers. */
export async function askControl(dir: string, task: Task, event: unknown): Promise<unknown> {
  const address = readJson<Address>(fileOf(dir))
  if (!address || (address.of ?? identityOf(dir)) !== identityOf(dir)) return undefined
  const response = await fetch(address.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${address.token}` },
    body: JSON.stringify({ task, event }),
  }).catch(() => undefined)
  if (!response) return undefined
  if (!response.ok) throw new Error(`The running service answered ${response.status}.`)
  return response.json()
}
