import { isObject } from '../../core/json/is-object.ts'
import { recordOf } from '../../core/json/record-of.ts'
import { field } from '../../values/field.ts'
import { isLonger } from '../../values/is-longer.ts'
import { maxKeys, tooManyKeys } from '../../values/too-many-keys.ts'
import { isText } from '../values/casts.ts'
import { type Logo, logoTexts } from './logo.ts'

const maxLengths = { url: 2048, data: 65_536, type: 255 }
const keys = ['url', 'data', 'type'] as const

/** Null for one that is left out or empty, undefined for one that is invalid. */
function partOf(value: unknown, max: number): string | null | undefined {
  if (value === undefined || value === null || value === '') return null
  return isText(value) && !isLonger(value, max) ? value : undefined
}

/** A logo as a whole (`/v0` contract, 12.3); one without content is null. */
export const LogoCast = field<Logo | null>(
  (input) => {
    if (input === null) return { value: null }
    if (!isObject(input)) return { message: 'is invalid' }
    const crowded = tooManyKeys(input)
    if (crowded !== null) return { message: crowded }
    const { url, data, type } = recordOf(keys, (key) => partOf(input[key], maxLengths[key]))
    if (url === undefined || data === undefined || type === undefined) return { message: 'is invalid' }
    return { value: url === null && data === null && type === null ? null : { url, data, type } }
  },
  {
    type: ['object', 'null'],
    maxProperties: maxKeys,
    properties: Object.fromEntries(
      keys.map((key) => [key, { type: ['string', 'null'], maxLength: maxLengths[key], description: logoTexts[key] }]),
    ),
  },
)
