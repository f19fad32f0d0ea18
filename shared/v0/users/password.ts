import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { isText } from '../values/casts.ts'
import { lengthOf, type Messages } from '../values/messages.ts'

/** The parameters that OWASP recommends for scrypt; they take 128 MB. */
const cost = { ln: 17, r: 8, p: 1 }
const options: ScryptOptions = { N: 2 ** cost.ln, r: cost.r, p: cost.p, maxmem: 192 * 1024 * 1024 }

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/** A salted slow hash in the PHC string format, which names its parameters. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await new Promise<Buffer>((resolve, reject) => {
    scrypt(password, salt, 32, options, (error, derived) => (error ? reject(error) : resolve(derived)))
  })
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${unpadded(salt)}$${unpadded(key)}`
}

/** The rules of a password and its confirmation (`/v0` contract, 9.4). */
export function passwordMessages(password: unknown, confirmation: unknown): Messages {
  if (!isText(password)) return ['is invalid']
  const length = lengthOf(password)
  return [
    ...(length < 12 ? ['should be at least 12 character(s)'] : []),
    ...(length > 128 ? ['should be at most 128 character(s)'] : []),
    ...(confirmation === password ? [] : ['does not match password confirmation.']),
  ]
}
