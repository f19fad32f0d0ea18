import { field } from '../../values/field.ts'
import { Text } from '../../values/fields.ts'

/** The base64 text of 32 bytes (P1.8). */
export const PublicKey = field<string>(
  (input) => {
    if (input === null || (typeof input === 'string' && input.trim() === '')) return { message: "can't be blank" }
    if (typeof input !== 'string') return { message: 'is invalid' }
    const text = input.trim()
    const bytes = Buffer.from(text, 'base64')
    // Only the canonical spelling: a key is compared as text.
    return bytes.length === 32 && bytes.toString('base64') === text ? { value: text } : { message: 'is invalid' }
  },
  { type: 'string', minLength: 44, maxLength: 44 },
)

export const Version = Text(64)
