import { createHash } from 'node:crypto'
import { uuidBytes, uuidText } from './ids.ts'

/** A UUID version 5 (RFC 9562): the same for the same name in a namespace, which is a UUID itself. */
export function uuidV5(namespace: string, name: string): string {
  const bytes = createHash('sha1').update(uuidBytes(namespace)).update(name).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return uuidText(bytes)
}
