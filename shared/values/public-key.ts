import { type Checked, field } from './field.ts'

function check(input: unknown): Checked<string> {
  if (input === null || (typeof input === 'string' && input.trim() === '')) return { message: "can't be blank" }
  const value = typeof input === 'string' ? input.trim() : ''
  const bytes = Buffer.from(value, 'base64')
  // Only the canonical spelling: a decoder ignores what an encoder never writes.
  return bytes.length === 32 && bytes.toString('base64') === value ? { value } : { message: 'is invalid' }
}

/** A device's public key: the base64 text of 32 bytes (P1.8). */
export const PublicKey = field<string>(check, { type: 'string', minLength: 44, maxLength: 44, contentEncoding: 'base64' })
