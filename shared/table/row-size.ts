import { type ApiError, invalid } from '../core/errors.ts'
import type { Row } from './entity.ts'

/** Of the JSON of a row (A31): before and after it fit the record of their change together, compressed. */
export const maxRowBytes = 262_144

export const bytesOf = (value: unknown): number => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)))

/** 422 that names the field of a row that takes the most. */
export function tooLarge(row: Row): ApiError {
  const [[largest] = ['base']] = Object.entries(row).toSorted(([, a], [, b]) => bytesOf(b) - bytesOf(a))
  const message = 'is too large to be stored'
  return invalid({ base: [message], [largest]: [message] })
}
