import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { ApiError } from '../core/errors.ts'

const errorNames = ['ValidationException', 'SerializationException']

/** True for an error that every retry would repeat: an invalid key or text, or a row that is too large. */
export function isRefusedItem(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'validation_failed'
  if (error instanceof TransactionCanceledException) {
    return (error.CancellationReasons ?? []).some(({ Code }) => Code === 'ValidationError')
  }
  return error instanceof Error && errorNames.includes(error.name)
}
