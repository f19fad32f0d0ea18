import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { clock } from '../clock.ts'
import { ApiError } from '../errors.ts'

type Cost = { ln: number; r: number; p: number }

/** Parameters that OWASP recommends for scrypt, with which a hash takes 128 MB of memory. Tests lower them. */
export const passwordCost: Cost = { ln: 17, r: 8, p: 1 }

const optionsOf = ({ ln, r, p }: Cost): ScryptOptions => ({ N: 2 ** ln, r, p, maxmem: 192 * 1024 * 1024 })

const unpaddedBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/** Runs one hash at a time, because each hash occupies a core and one of the process's four threads for a few tenths of a second. */
export const hashQueue = {
  last: Promise.resolve() as Promise<unknown>,

  /** @throws ApiError `unavailable` when the hash has not started by the deadline, in milliseconds on the monotonic clock */
  run<T>(hash: () => Promise<T>, deadline: number): Promise<T> {
    const result = this.last.then(() => {
      if (clock.monotonic() > deadline) throw new ApiError('unavailable')
      return hash()
    })
    this.last = result.catch(() => undefined)
    return result
  },
}

const phcText = ({ ln, r, p }: Cost, salt: string, key: string): string =>
  `$scrypt$ln=${ln},r=${r},p=${p}$${salt}$${key}`

const scryptOf = (password: string, salt: Buffer, options: ScryptOptions) =>
  promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)(password, salt, 32, options)

/**
 * Returns a salted slow hash in the PHC string format, which includes the parameters.
 * @param deadline latest start of the hash, in milliseconds on the monotonic clock
 * @throws ApiError `unavailable` when the hash has not started by the deadline
 */
export async function hashPassword(password: string, deadline: number, parameters = passwordCost): Promise<string> {
  const salt = randomBytes(16)
  const cost = { ...parameters }
  const key = await hashQueue.run(() => scryptOf(password, salt, optionsOf(cost)), deadline)
  return phcText(cost, unpaddedBase64(salt), unpaddedBase64(key))
}

const hashPattern = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Compares a password with a hash. A null or damaged hash never matches and takes the same time. */
export async function matchesPassword(password: string, hash: string | null, deadline: number): Promise<boolean> {
  const parts = hashPattern.exec(hash ?? '')
  const [, ln, r, p, salt = '', key = ''] =
    parts ?? hashPattern.exec(phcText(passwordCost, 'A'.repeat(22), 'A'.repeat(43))) ?? []
  const expected = Buffer.from(key, 'base64')
  const storedOptions = optionsOf({ ln: Number(ln), r: Number(r), p: Number(p) })
  const derivedKey = await hashQueue.run(() => scryptOf(password, Buffer.from(salt, 'base64'), storedOptions), deadline)
  return parts !== null && derivedKey.length === expected.length && timingSafeEqual(derivedKey, expected)
}
