import { isUuid } from '../core/ids.ts'
import type { JsonSchema } from './field.ts'

/** A filter of a list (A7.3): the value to compare with, or undefined for a bad value. */
export type Filter = { read: (text: string) => string | undefined; schema: JsonSchema }

/** Compared as it is; an empty text matches nothing. */
export const textFilter: Filter = { read: (text) => text, schema: { type: 'string' } }

export const uuidFilter: Filter = {
  read: (text) => (isUuid(text) ? text.toLowerCase() : undefined),
  schema: { type: 'string', format: 'uuid' },
}

/** An empty text asks for the rows without a value. */
export const uuidOrEmptyFilter: Filter = {
  read: (text) => (text === '' ? '' : uuidFilter.read(text)),
  schema: { type: 'string' },
}

export const enumFilter = (members: readonly string[]): Filter => ({
  read: (text) => (members.includes(text) ? text : undefined),
  schema: { type: 'string', enum: members },
})
