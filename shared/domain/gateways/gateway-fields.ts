import * as v from 'valibot'
import { field } from '../../values/field.ts'
import { Text } from '../../values/fields.ts'

const Name = Text(255)

/** Null asks for a random name; blank text does not (A21.2). */
const NameOrRandom = field<string | null>(
  (input) => {
    if (input === null) return { value: null }
    const result = v.safeParse(Name, input)
    return result.success ? { value: result.output } : { message: result.issues[0].message }
  },
  { type: ['string', 'null'], minLength: 1, maxLength: 255 },
)

export const NewGatewayFields = v.object({ name: v.optional(NameOrRandom) })

export const GatewayFields = v.object({ name: v.optional(Name) })
