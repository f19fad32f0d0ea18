import type { Tree } from './hashes.ts'
import { fromBase64, sha256, toBase64, toBytes } from './hashes.ts'

/** Checkpoint in a signed note (C2SP tlog-checkpoint). */
export type Checkpoint = Tree & { origin: string; extensions: string[] }

/** Splits a note into its signed text and the lines of its signatures. */
function splitNote(note: string): { text: string; signatures: string[] } {
  const end = note.lastIndexOf('\n\n')
  return { text: note.slice(0, end + 1), signatures: note.slice(end + 2).split('\n') }
}

/** Reads the checkpoint of a note; null for a note that is malformed. */
export function readNote(note: string): Checkpoint | null {
  const [origin = '', size = '', root = '', ...extensions] = splitNote(note).text.split('\n')
  if (origin === '' || !/^\d{1,15}$/.test(size) || root === '' || extensions.pop() !== '') return null
  return { origin, size: Number(size), root, extensions }
}

/** Separates a verifier key `<name>+<hash>+<base64>`. Returns null for a text without this form or with another hash. */
async function readKey(text: string): Promise<{ name: string; id: string; bytes: Uint8Array<ArrayBuffer> } | null> {
  const [, name = '', id = '', encoded = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+([\w+/=]+)$/.exec(text.trim()) ?? []
  if (name === '') return null
  const typed = fromBase64(encoded)
  const hash = await sha256(toBytes(`${name}\n`), typed)
  const isEd25519 = typed.length === 33 && typed[0] === 1
  return isEd25519 && hexOf(hash.slice(0, 4)) === id ? { name, id, bytes: typed.slice(1) } : null
}

const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

export const isKey = async (text: string): Promise<boolean> => (await readKey(text).catch(() => null)) !== null

/** True if a note has a valid Ed25519 signature by a verifier key (C2SP signed-note). A malformed note or key has none. */
export const isSignedBy = (note: string, key: string): Promise<boolean> => findSignature(note, key).catch(() => false)

async function findSignature(note: string, keyText: string): Promise<boolean> {
  const key = await readKey(keyText)
  const { text, signatures } = splitNote(note)
  if (!key) return false
  for (const line of signatures) {
    const [, name, encoded = ''] = /^— (\S+) (\S+)$/u.exec(line) ?? []
    const bytes = name === key.name ? fromBase64(encoded) : new Uint8Array()
    if (bytes.length !== 68 || hexOf(bytes.slice(0, 4)) !== key.id || toBase64(bytes) !== encoded) continue
    const publicKey = await crypto.subtle.importKey('raw', key.bytes, 'Ed25519', false, ['verify'])
    if (await crypto.subtle.verify('Ed25519', publicKey, bytes.slice(4), toBytes(text))) return true
  }
  return false
}
