import { field } from '../../values/field.ts'
import { isLonger } from '../../values/is-longer.ts'
import { maxKeys, tooManyKeys } from '../../values/too-many-keys.ts'
import { isText } from '../values/casts.ts'
import { type Logo, logoTexts } from './logo.ts'

const maxLengths = { url: 2048, data: 65_536, type: 255 }
const keys = ['url', 'data', 'type'] as const

const isValid = (value: unknown, max: number): boolean => value === null || (isText(value) && !isLonger(value, max))

/** A logo as a whole (`/v0` contract, 12.3); one without content is null. */
export const LogoCast = field<Logo | null>(
  (input) => {
    if (input === null) return { value: null }
    if (typeof input !== 'object' || Array.isArray(input)) return { message: 'is invalid' }
    const crowded = tooManyKeys(input)
    if (crowded !== null) return { message: crowded }
    const sent = input as Record<string, unknown>
    const logo = Object.fromEntries(keys.map((key) => [key, sent[key] === '' ? null : (sent[key] ?? null)])) as Logo
    if (!keys.every((key) => isValid(logo[key], maxLengths[key]))) return { message: 'is invalid' }
    return { value: keys.every((key) => logo[key] === null) ? null : logo }
  },
  {
    type: ['object', 'null'],
    maxProperties: maxKeys,
    properties: Object.fromEntries(
      keys.map((key) => [key, { type: ['string', 'null'], maxLength: maxLengths[key], description: logoTexts[key] }]),
    ),
  },
)
