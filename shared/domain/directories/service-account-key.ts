import { createPrivateKey } from 'node:crypto'
import * as v from 'valibot'
import { fieldsOf } from '../../core/json/is-object.ts'
import { documentedSchema, field } from '../../values/field.ts'
import { Text } from '../../values/fields.ts'

const KeyText = Text(16_384)
/**
 * Shorter keys are weak. Signing time grows with the cube of the length: seconds for the longest key that fits the
 * field.
 */
const bits = { min: 2048, max: 8192 }

/**
 * Returns whether a text may be used: its key is safe and quick to sign with. A text without a key fails in the run,
 * with a reason.
 */
function isUsable(text: string): boolean {
  try {
    const pem = fieldsOf(JSON.parse(text)).private_key
    if (typeof pem !== 'string') return true
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem)
    const length = asymmetricKeyDetails?.modulusLength ?? 0
    return asymmetricKeyType === 'rsa' && length >= bits.min && length <= bits.max
  } catch {
    return true
  }
}

/** The JSON key of a service account. */
export const ServiceAccountKey = field<string>((input) => {
  const { success, output, issues } = v.safeParse(KeyText, input)
  if (!success) return { message: issues[0].message }
  return isUsable(output)
    ? { value: output }
    : { message: `must have an RSA private key of ${bits.min} to ${bits.max} bits` }
}, documentedSchema(KeyText))
