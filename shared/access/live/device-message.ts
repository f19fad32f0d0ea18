import { isObject } from '../../core/json/is-object.ts'

/** Bytes of a message of a device (C4). */
const mostBytes = 1_024

export type DeviceMessage = { type: 'keepalive' } | { type: 'ping'; id: string }

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A message of a device (C4); null for anything else. Members that it does not know mean nothing. */
export function readMessage(text: string | undefined): DeviceMessage | null {
  if (text === undefined || Buffer.byteLength(text) > mostBytes) return null
  const message = parse(text)
  if (!isObject(message)) return null
  const { type, id } = message
  if (type === 'keepalive') return { type }
  if (type === 'ping' && typeof id === 'string' && id.length >= 1 && id.length <= 64) return { type, id }
  return null
}
