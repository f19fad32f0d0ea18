import { field } from '../../values/field.ts'
import { Text } from '../../values/fields.ts'

const mustBeKey = 'must be 32 bytes in base64, 44 characters'

/** The base64 text of 32 bytes (P1.8). */
export const PublicKey = field<string>(
  (input) => {
    if (input === null || (typeof input === 'string' && input.trim() === '')) return { message: "can't be blank" }
    if (typeof input !== 'string') return { message: mustBeKey }
    const text = input.trim()
    const bytes = Buffer.from(text, 'base64')
    // Only the canonical spelling: a key is compared as text.
    return bytes.length === 32 && bytes.toString('base64') === text ? { value: text } : { message: mustBeKey }
  },
  { type: 'string', pattern: '^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$' },
)

export const Version = Text(64)
