import { randomBytes } from 'node:crypto'

const uuid = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'
const uuidPattern = new RegExp(`^${uuid}$`)

/** A UUID as the reference documents it. */
export const uuidSchema = { type: 'string', format: 'uuid', description: 'a UUID' }

export const isUuid = (text: string): boolean => uuidPattern.test(text)

/** A path id of A6.1 as the reference documents it. */
export const pathIdSchema = {
  type: 'string',
  pattern: `^(${uuid}|[0-9a-fA-F]{24})$`,
  description: 'a UUID, or 24 hexadecimal characters',
}
const pathIdPattern = new RegExp(pathIdSchema.pattern)

export const isPathId = (text: string): boolean => pathIdPattern.test(text)

/**
 * A UUID version 7 for an instant in microseconds. RFC 9562 method 3 puts the part below a millisecond into `rand_a`,
 * and `position` orders the ids of one commit, so ids sort as they were committed.
 */
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
