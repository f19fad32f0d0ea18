import { hkdfSync } from 'node:crypto'

let secret: Promise<string> | undefined
const keys = new Map<string, Buffer>()

async function readSecret(): Promise<string> {
  const given = process.env.SERVICE_SECRET
  if (given) return given
  const arn = process.env.SERVICE_SECRET_ARN
  if (!arn) throw new Error('Neither SERVICE_SECRET nor SERVICE_SECRET_ARN is set.')
  const { SecretsManagerClient, GetSecretValueCommand } = await import('@aws-sdk/client-secrets-manager')
  const { SecretString } = await new SecretsManagerClient({}).send(new GetSecretValueCommand({ SecretId: arn }))
  if (!SecretString) throw new Error('The service secret is empty.')
  return SecretString
}

/** A 32 byte key for one purpose, derived from the service secret with HKDF-SHA256 (RFC 5869). */
export async function serviceKey(purpose: string): Promise<Buffer> {
  const known = keys.get(purpose)
  if (known) return known
  secret ??= readSecret().catch((error) => {
    secret = undefined
    throw error
  })
  const key = Buffer.from(hkdfSync('sha256', await secret, 'network-access-administration', purpose, 32))
  if (keys.size > 1000) keys.clear()
  keys.set(purpose, key)
  return key
}
