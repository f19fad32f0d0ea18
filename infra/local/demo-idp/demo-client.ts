import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readJson, writeAtomically } from '../data-dir.ts'

type Kept = { client_id: string; client_secret: string }

/**
 * The service as a client of the provider: made once for a data directory, and again where its file is gone or damaged. The account
 * has to be given a new one.
 */
export function demoClient(dir: string): { client: Kept; isNew: boolean } {
  const file = join(dir, 'demo-idp.json')
  const kept = readJson<Kept>(file)
  if (kept?.client_id && kept.client_secret) return { client: kept, isNew: false }
  const made = { client_id: 'network-access', client_secret: randomBytes(32).toString('base64url') }
  writeAtomically(file, `${JSON.stringify(made, null, 2)}\n`)
  return { client: made, isNew: true }
}
