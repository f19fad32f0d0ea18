import { createHmac, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { ApiError } from '../errors.ts'
import { isSigning, signingKey, verifyingKey } from './signing-secret.ts'

const macBytes = 16
const purpose = 'page cursor'

const mac = (key: Buffer, binding: string, body: Buffer): Buffer =>
  createHmac('sha256', key).update(`${binding.length}:${binding}`).update(body).digest().subarray(0, macBytes)

/** Signs bytes and encodes them as opaque text. The signature covers `binding`, which the text does not contain. */
export async function encodeBytes(binding: string, body: Buffer): Promise<string> {
  const { version, key } = await signingKey(purpose)
  return `${version}.${Buffer.concat([mac(key, binding, body), body]).toString('base64url')}`
}

/** Verifies and decodes text from `encodeBytes`. Null for text that this service did not sign for this binding. */
export async function decodeBytes(binding: string, cursor: string): Promise<Buffer | null> {
  const [version = '', text = '', ...rest] = cursor.split('.')
  const bytes = Buffer.from(text, 'base64url')
  if (rest.length > 0 || bytes.length < macBytes || bytes.toString('base64url') !== text) return null
  const key = await verifyingKey(version, purpose)
  const body = bytes.subarray(macBytes)
  return key && timingSafeEqual(bytes.subarray(0, macBytes), mac(key, binding, body)) ? body : null
}

/** True if the text was signed with the version of the signing secret that is currently used for signing. */
export const isMadeByNewest = (text: string): Promise<boolean> => isSigning(text.split('.')[0] ?? '')

/** Encodes a position in a list as a cursor (A7.1). `binding` contains account, path and filters. */
export const encodeCursor = (binding: string, position: unknown): Promise<string> =>
  encodeBytes(binding, Buffer.from(JSON.stringify(position)))

/** Decodes a cursor. @throws ApiError `invalid_page_cursor` for a cursor of another binding, form or service */
export async function decodeCursor<T>(binding: string, cursor: string, position: v.GenericSchema<unknown, T>) {
  const body = await decodeBytes(binding, cursor)
  const result = body && v.safeParse(position, JSON.parse(body.toString()))
  if (!result?.success) throw new ApiError('invalid_page_cursor')
  return result.output
}
