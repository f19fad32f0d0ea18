import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from './errors.ts'
import { serviceKey } from './service-secret.ts'

const macBytes = 16

async function mac(binding: string, body: Buffer): Promise<Buffer> {
  return createHmac('sha256', await serviceKey('page cursor'))
    .update(`${binding.length}:${binding}`)
    .update(body)
    .digest()
    .subarray(0, macBytes)
}

/** Bytes as an opaque, authenticated text. `binding` names what it belongs to; it is not in the text. */
export async function encodeBytes(binding: string, body: Buffer): Promise<string> {
  return Buffer.concat([await mac(binding, body), body]).toString('base64url')
}

/** The bytes of such a text; null for anything that this service did not make for this binding. */
export async function decodeBytes(binding: string, text: string): Promise<Buffer | null> {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length < macBytes || bytes.toString('base64url') !== text) return null
  const body = bytes.subarray(macBytes)
  return timingSafeEqual(bytes.subarray(0, macBytes), await mac(binding, body)) ? body : null
}

/**
 * An opaque, authenticated cursor (A7.1) that holds a position in a list. `binding` names the account, path and
 * filters it belongs to.
 */
export const encodeCursor = (binding: string, position: unknown): Promise<string> =>
  encodeBytes(binding, Buffer.from(JSON.stringify(position)))

/**
 * The position in a cursor. Its type needs no check: only a list with this binding can have made it.
 * @throws ApiError `invalid_page_cursor` for anything that this service did not make for this binding
 */
export async function decodeCursor<P>(binding: string, cursor: string): Promise<P> {
  const body = await decodeBytes(binding, cursor)
  if (!body) throw new ApiError('invalid_page_cursor')
  return JSON.parse(body.toString())
}
