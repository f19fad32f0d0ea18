import { subscribe } from 'node:diagnostics_channel'
import fs from 'node:fs'
import type { ClientRequest } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

// Module that each Node process of the service loads first (`--import`). Counts requests to the DynamoDB engine and renames in the data
// directory, and writes the counts to a file of `COUNTS_DIR`.

const { COUNTS_DIR = '', DATA_DIR = '' } = process.env
const file = join(COUNTS_DIR, `${process.pid}-${threadId}.json`)
const counts: Record<string, number> = {}
const { renameSync, writeFileSync } = fs

function count(name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}

function countTarget(target: unknown): void {
  const [, operation] = /^DynamoDB\w*\.(\w+)$/.exec(String(target)) ?? []
  if (operation) count(operation)
}

subscribe('http.client.request.start', (message) =>
  countTarget((message as { request: ClientRequest }).request.getHeader('x-amz-target')),
)
subscribe('undici:request:create', (message) => {
  const { headers } = (message as { request: { headers: unknown[] } }).request
  countTarget(headers[headers.indexOf('x-amz-target') + 1])
})
for (const [owner, name] of [
  [fs, 'rename'],
  [fs, 'renameSync'],
  [fs.promises, 'rename'],
] as const) {
  const plain = Reflect.get(owner, name)
  Reflect.set(owner, name, (...args: unknown[]) => {
    if (String(args[1]).startsWith(DATA_DIR)) count('rename')
    return Reflect.apply(plain, owner, args)
  })
}
syncBuiltinESMExports()

let written = ''
setInterval(() => {
  const text = JSON.stringify(counts)
  if (text === written) return
  written = text
  // Replaces the file atomically, because the bench reads it at any time.
  writeFileSync(`${file}.tmp`, text)
  renameSync(`${file}.tmp`, file)
}, 50).unref()
