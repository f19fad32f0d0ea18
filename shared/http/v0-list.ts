import { ApiError } from '../core/errors.ts'
import { maxListBytes } from '../v0/values/list-rows.ts'
import type { Operation } from './operation.ts'

/** The most that a Lambda can answer, less room for headers. It counts the body as a JSON string, escapes included. */
const maxHandedBytes = 6_200_000

/** @throws ApiError `payload_too_large` for an unpaged list that is too long for one answer (6.4) */
export function limitV0List({ filters }: Operation, body: unknown, text: string): void {
  const isUnpaged = filters !== undefined && !(body as { metadata?: unknown }).metadata
  if (!isUnpaged) return
  if (Buffer.byteLength(text) <= maxListBytes && Buffer.byteLength(JSON.stringify(text)) <= maxHandedBytes) return
  throw new ApiError('payload_too_large', undefined, {
    members: {
      detail:
        'The list is too large for one response. Read it in pages with the query parameters limit and page_cursor.',
    },
  })
}
