import { createHmac, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { ApiError } from './errors.ts'
import { namedVersion, nameVersion } from './secrets/secret-versions.ts'
import { isWriting, provingKeyOf, writingKey } from './secrets/service-secret.ts'

const macBytes = 16

const purpose = 'page cursor'

const mac = (key: Buffer, binding: string, body: Buffer): Buffer =>
  createHmac('sha256', key).update(`${binding.length}:${binding}`).update(body).digest().subarray(0, macBytes)

/** Bytes as an opaque, authenticated text. `binding` names what it belongs to; it is not in the text. */
export async function encodeBytes(binding: string, body: Buffer): Promise<string> {
  const { version, key } = await writingKey(purpose)
  return nameVersion(version, Buffer.concat([mac(key, binding, body), body]).toString('base64url'))
}

/** The bytes of such a text; null for anything that this service did not make for this binding. */
export async function decodeBytes(binding: string, named: string): Promise<Buffer | null> {
  const { version, text } = namedVersion(named)
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length < macBytes || bytes.toString('base64url') !== text) return null
  const key = await provingKeyOf(version, purpose)
  const body = bytes.subarray(macBytes)
  return key && timingSafeEqual(bytes.subarray(0, macBytes), mac(key, binding, body)) ? body : null
}

/** Whether such a text was made by the version of the service secret that is written with now. */
export const isMadeByNewest = (text: string): Promise<boolean> => isWriting(namedVersion(text).version)

/**
 * An opaque, authenticated cursor (A7.1) that holds a position in a list. `binding` names the account, path and
 * filters it belongs to.
 */
export const encodeCursor = (binding: string, position: unknown): Promise<string> =>
  encodeBytes(binding, Buffer.from(JSON.stringify(position)))

/**
 * The position in a cursor.
 * @throws ApiError `invalid_page_cursor` for anything that this service did not make for this binding, in a form it knows
 */
export async function decodeCursor<T>(
  binding: string,
  cursor: string,
  position: v.GenericSchema<unknown, T>,
): Promise<T> {
  const body = await decodeBytes(binding, cursor)
  const read = body && v.safeParse(position, JSON.parse(body.toString()))
  if (!read?.success) throw new ApiError('invalid_page_cursor')
  return read.output
}
