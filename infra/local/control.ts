import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { readJson, writeAtomically } from './data-dir.ts'
import { listen } from './http-server.ts'

type Address = { url: string; token: string }

const fileOf = (dir: string) => join(dir, 'control.json')

const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * What stands here for IAM: a second port on the loopback whose token lies in the data directory, readable by its
 * owner only. It hands events to the provisioning function.
 */
export async function openControl(dir: string, provision: (event: unknown) => Promise<unknown>) {
  const token = randomBytes(32).toString('base64url')
  const server = createServer(async (request, response) => {
    const given = digest(request.headers.authorization ?? '')
    if (request.method !== 'POST' || !timingSafeEqual(given, digest(`Bearer ${token}`))) {
      response.writeHead(403).end()
      return
    }
    try {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const result = await provision(JSON.parse(Buffer.concat(chunks).toString('utf8')))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result))
    } catch (error) {
      process.stderr.write(`provision: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`)
      response.writeHead(500).end()
    }
  })
  const port = await listen(server, 0)
  writeAtomically(fileOf(dir), JSON.stringify({ url: `http://127.0.0.1:${port}`, token } satisfies Address))
  return {
    close() {
      rmSync(fileOf(dir), { force: true })
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Asks the service that runs on the data directory. Undefined when none answers. */
export async function askControl(dir: string, event: unknown): Promise<unknown> {
  const address = readJson<Address>(fileOf(dir))
  if (!address) return undefined
  const response = await fetch(address.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${address.token}` },
    body: JSON.stringify(event),
  }).catch(() => undefined)
  if (!response) return undefined
  if (!response.ok) throw new Error(`The running service answered ${response.status}.`)
  return response.json()
}
