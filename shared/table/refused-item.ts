import { ApiError } from '../core/errors.ts'
import { TransactionCanceledException } from './refused-write.ts'

const names = ['ValidationException', 'SerializationException']

/**
 * Checks for errors that every retry repeats: a key or a text that the table cannot hold, or a row that is too large.
 */
export function isRefusedItem(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'validation_failed'
  if (error instanceof TransactionCanceledException) {
    return (error.CancellationReasons ?? []).some(({ Code }) => Code === 'ValidationError')
  }
  return error instanceof Error && names.includes(error.name)
}
