import { type ApiError, invalid } from '../core/errors.ts'
import type { Row } from './entity.ts'

/** The most bytes of a row as JSON (A31): compressed, the row before and after a change fit the record of it together. */
export const maxRowBytes = 262_144

export const bytesOf = (value: unknown): number => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)))

/** 422 that names the field of a row that takes the most. */
export function tooLarge(row: Row): ApiError {
  const [[largest] = ['base']] = Object.entries(row).toSorted(([, a], [, b]) => bytesOf(b) - bytesOf(a))
  const message = 'is too large to be stored'
  return invalid({ base: [message], [largest]: [message] })
}
