import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { TaskQueue } from '../../core/task-queue.ts'
import { isLonger } from '../../values/is-longer.ts'
import { isText } from '../values/casts.ts'
import { type Messages, tooLong } from '../values/messages.ts'

/** The parameters that OWASP recommends for scrypt; they take 128 MB. */
const cost = { ln: 17, r: 8, p: 1 }
const options: ScryptOptions = { N: 2 ** cost.ln, r: cost.r, p: cost.p, maxmem: 192 * 1024 * 1024 }

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/** One at a time: a hash takes a core for some tenths of a second, and one of the four threads that files and zlib share. */
const hashing = new TaskQueue(1)

const scryptOf = (password: string, salt: Buffer) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(password, salt, 32, options, (error, derived) => (error ? reject(error) : resolve(derived)))
  })

/**
 * A salted slow hash in the PHC string format, which names its parameters.
 * @param deadline until when it may wait for its turn, in milliseconds since 1970
 * @throws ApiError `unavailable` when it is not its turn by then
 */
export async function hashPassword(password: string, deadline: number): Promise<string> {
  const salt = randomBytes(16)
  const key = await hashing.run(() => scryptOf(password, salt), deadline)
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${unpadded(salt)}$${unpadded(key)}`
}

/** The rules of a password and its confirmation (`/v0` contract, 9.4). */
export function passwordMessages(password: unknown, confirmation: unknown): Messages {
  if (!isText(password)) return ['is invalid']
  return [
    ...(isLonger(password, 11) ? [] : ['should be at least 12 character(s)']),
    ...tooLong(password, 128),
    ...(confirmation === password ? [] : ['does not match password confirmation.']),
  ]
}
