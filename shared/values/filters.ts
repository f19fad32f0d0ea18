import * as v from 'valibot'
import { toUtc } from '../core/clock.ts'
import { canonicalIp, parseIp } from './ip.ts'

/** Filter of a list (A7.3), which converts query text to the value to compare with. */
export type Filter = v.GenericSchema<string, string>

/** Filter by the text as submitted. Empty text matches no row. */
export const textFilter = v.string()

export const uuidFilter = v.pipe(v.string(), v.uuid(), v.toLowerCase())

/** Filter by UUID. Empty text matches rows without a value. */
export const uuidOrEmptyFilter = v.pipe(
  v.string(),
  v.union([uuidFilter, v.literal('')]),
  v.metadata({ jsonSchema: { type: 'string', anyOf: [{ format: 'uuid' }, { const: '' }] } }),
)

export const enumFilter = (members: readonly string[]) => v.pipe(v.string(), v.picklist(members))

/** Filter by an IP address of one family, compared in canonical form (A33.3). */
export const ipFilter = (family: 4 | 6) =>
  v.pipe(
    v.string(),
    v.check((text) => parseIp(text)?.family === family),
    v.transform((text) => canonicalIp(text) ?? ''),
    v.metadata({ format: `ipv${family}` }),
  )

export const boolFilter = enumFilter(['true', 'false'])

/** Filter by a timestamp since 1970, compared in UTC with microseconds. Query text can contain the `+` of an offset as a space. */
export const timestampFilter = v.pipe(
  v.string(),
  v.transform((text) => toUtc(text.replace(/ (\d\d:\d\d)$/, '+$1')) ?? ''),
  v.check((utc) => utc >= '1970'),
  v.metadata({ format: 'date-time' }),
)
