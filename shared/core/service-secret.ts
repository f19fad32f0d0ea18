import { hkdfSync } from 'node:crypto'
import { readSecret } from './aws/read-secret.ts'

let secret: Promise<string> | undefined
const keys = new Map<string, Buffer>()

async function serviceSecret(): Promise<string> {
  const given = process.env.SERVICE_SECRET
  if (given) return given
  const arn = process.env.SERVICE_SECRET_ARN
  if (!arn) throw new Error('Neither SERVICE_SECRET nor SERVICE_SECRET_ARN is set.')
  return readSecret(arn)
}

/** A 32 byte key for one purpose, derived from the service secret with HKDF-SHA256 (RFC 5869). */
export async function serviceKey(purpose: string): Promise<Buffer> {
  const known = keys.get(purpose)
  if (known) return known
  secret ??= serviceSecret().catch((error) => {
    secret = undefined
    throw error
  })
  const key = Buffer.from(hkdfSync('sha256', await secret, 'network-access-administration', purpose, 32))
  if (keys.size > 1000) keys.clear()
  keys.set(purpose, key)
  return key
}
