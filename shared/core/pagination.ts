import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from './errors.ts'
import { serviceKey } from './service-secret.ts'

async function mac(binding: string, body: string): Promise<Buffer> {
  return createHmac('sha256', await serviceKey('page cursor'))
    .update(`${binding.length}:${binding}${body}`)
    .digest()
    .subarray(0, 16)
}

/**
 * An opaque, authenticated cursor (A7.1) that holds a position in a list. `binding` names the account, path and
 * filters it belongs to.
 */
export async function encodeCursor(binding: string, position: unknown): Promise<string> {
  const body = JSON.stringify(position)
  return Buffer.concat([await mac(binding, body), Buffer.from(body)]).toString('base64url')
}

/** @throws ApiError `invalid_page_cursor` for anything that this service did not make for this binding. */
export async function decodeCursor(binding: string, cursor: string): Promise<unknown> {
  const bytes = Buffer.from(cursor, 'base64url')
  const body = bytes.subarray(16).toString()
  if (bytes.length <= 16 || bytes.toString('base64url') !== cursor) throw new ApiError('invalid_page_cursor')
  if (!timingSafeEqual(bytes.subarray(0, 16), await mac(binding, body))) throw new ApiError('invalid_page_cursor')
  return JSON.parse(body)
}
