import { createHash, randomBytes } from 'node:crypto'

const uuid = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'
const uuidPattern = new RegExp(`^${uuid}$`)

export const uuidSchema = { type: 'string', format: 'uuid', description: 'a UUID' }

export const isUuid = (text: string): boolean => uuidPattern.test(text)

/** Schema of an id in a path (A6.1). */
export const pathIdSchema = {
  type: 'string',
  pattern: `^(${uuid}|[0-9a-fA-F]{24})$`,
  description: 'a UUID, or 24 hexadecimal characters',
}
const pathIdPattern = new RegExp(pathIdSchema.pattern)

export const isPathId = (text: string): boolean => pathIdPattern.test(text)

/** Creates a UUID version 7 (RFC 9562, method 3) for a time in microseconds. `position` orders the ids of one commit. */
export function uuidV7(micros: number, position = 0): string {
  const millis = Math.floor(micros / 1000)
  const bytes = randomBytes(16)
  bytes.writeUIntBE(millis, 0, 6)
  bytes.writeUInt16BE(0x7000 | Math.floor(((micros % 1000) * 4096) / 1000), 6)
  bytes.writeUInt16BE(0x8000 | (position & 0x3fff), 8)
  return uuidText(bytes)
}

export function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export const uuidBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')

/** Creates a UUID version 5 (RFC 9562) for a name in a namespace. Equal names have equal UUIDs. */
export function uuidV5(namespace: string, name: string): string {
  const bytes = createHash('sha1').update(uuidBytes(namespace)).update(name).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return uuidText(bytes)
}
