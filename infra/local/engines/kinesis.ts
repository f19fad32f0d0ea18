import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import kinesalite from 'kinesalite'
import { create } from 'kinesalite/db/index.js'
import { listen } from '../api/open-server.ts'
import { messageOf, StartupError } from '../files/fault.ts'
import { isFromBrowser, refuseBrowser } from './browser-requests.ts'

export const streamDirectory = (dir: string): string => join(dir, 'kinesis')

const damageError = (path: string, error: unknown): StartupError =>
  new StartupError(
    `The stream directory ${path} is damaged (${messageOf(error)}). Move it away and start again. Only flow reports that are not in the log yet are lost.`,
  )

/** Reads all records to detect damage, because the engine would treat damaged records as missing. */
async function checkStream(path: string): Promise<void> {
  // Requires the file `CURRENT`, without which LevelDB would create a new database over the existing files.
  if (readdirSync(path).length > 0 && !existsSync(join(path, 'CURRENT'))) throw new Error('the file CURRENT is missing')
  const { db } = create({ path })
  await once(db, 'open')
  const iterator = db.iterator({ fillCache: false })
  const next = promisify(iterator.next.bind(iterator))
  // Leaves the database open after an error, because closing it would fail. The process has to exit.
  while ((await next()) !== undefined);
  await promisify(iterator.end.bind(iterator))()
  await db.close()
}

/** Starts the Kinesis engine on the directory's stream, and returns its URL. The caller must hold the directory's engine lock. */
export async function startKinesis(dir: string): Promise<string> {
  const path = streamDirectory(dir)
  try {
    mkdirSync(path, { recursive: true })
    await checkStream(path)
  } catch (error) {
    throw damageError(path, error)
  }
  const server: Server = kinesalite({ path, createStreamMs: 0, deleteStreamMs: 0, updateStreamMs: 0, shardLimit: 64 })
  server.keepAliveTimeout = 60_000
  const listeners = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (isFromBrowser(request)) refuseBrowser(response)
    else for (const listener of listeners) listener.call(server, request, response)
  })
  return `http://127.0.0.1:${await listen(server, 0)}`
}
