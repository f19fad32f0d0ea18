import * as v from 'valibot'
import { field } from '../../values/field.ts'
import { isText } from '../values/casts.ts'
import { lengthOf } from '../values/messages.ts'

const maxLengths = { url: 2048, data: 65_536, type: 255 }
const keys = ['url', 'data', 'type'] as const
const texts = { url: 'Address of the logo.', data: 'The logo itself, as text.', type: 'Media type of the logo.' }

/** As it is shown: with all its keys. */
export const V0Logo = v.object({
  url: v.nullable(v.pipe(v.string(), v.description(texts.url))),
  data: v.nullable(v.pipe(v.string(), v.description(texts.data))),
  type: v.nullable(v.pipe(v.string(), v.description(texts.type))),
})

const isValid = (value: unknown, max: number): boolean => value === null || (isText(value) && lengthOf(value) <= max)

export type Logo = v.InferOutput<typeof V0Logo>

/** A logo as a whole (`/v0` contract, 12.3); one without content is null. */
export const LogoCast = field<Logo | null>(
  (input) => {
    if (input === null) return { value: null }
    if (typeof input !== 'object' || Array.isArray(input)) return { message: 'is invalid' }
    const sent = input as Record<string, unknown>
    const logo = Object.fromEntries(keys.map((key) => [key, sent[key] === '' ? null : (sent[key] ?? null)])) as Logo
    if (!keys.every((key) => isValid(logo[key], maxLengths[key]))) return { message: 'is invalid' }
    return { value: keys.every((key) => logo[key] === null) ? null : logo }
  },
  {
    type: ['object', 'null'],
    properties: Object.fromEntries(
      keys.map((key) => [key, { type: ['string', 'null'], maxLength: maxLengths[key], description: texts[key] }]),
    ),
  },
)
