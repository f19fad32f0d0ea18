import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readJson, writeAtomically } from '../data-dir.ts'

type Kept = { client_id: string; client_secret: string }

/** What the service is at the provider: made once for a data directory, so that the account's provider goes on to know it. */
export function demoClient(dir: string): Kept {
  const file = join(dir, 'demo-idp.json')
  const kept = readJson<Kept>(file)
  if (kept) return kept
  const made = { client_id: 'network-access', client_secret: randomBytes(32).toString('base64url') }
  writeAtomically(file, `${JSON.stringify(made, null, 2)}\n`)
  return made
}
