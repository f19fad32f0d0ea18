import { createPublicKey, hash, verify } from 'node:crypto'

/** Signature type of Ed25519 (C2SP signed-note). */
const ed25519 = 1

/** Verifier key of notes. `publicKey` contains the 32 bytes of an Ed25519 public key. */
export type VerifierKey = { name: string; publicKey: Buffer }

type NoteSignature = { name: string; keyHash: Buffer; signature: Buffer }
export type SignedNote = { text: string; signatures: NoteSignature[] }

/** Thrown for a malformed note or verifier key. The message states the violated rule. */
export class NoteError extends Error {}

const withKeyType = (publicKey: Buffer): Buffer => Buffer.concat([Buffer.from([ed25519]), publicKey])

/** Computes the hash that identifies a key in signatures and in the text of a verifier key. */
const keyHashOf = ({ name, publicKey }: VerifierKey): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), withKeyType(publicKey)]), 'buffer').subarray(0, 4)

/** Text form of a verifier key: `<name>+<hash>+<base64>`. */
export const verifierKeyText = (key: VerifierKey): string =>
  `${key.name}+${keyHashOf(key).toString('hex')}+${withKeyType(key.publicKey).toString('base64')}`

const isKeyName = (name: string): boolean => /^[^\s+]+$/u.test(name)

const base64 = (text: string): Buffer | null => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}

export function parseVerifierKey(text: string): VerifierKey {
  const [, name = '', hash = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text.trim()) ?? []
  const bytes = base64(encoded)
  if (!isKeyName(name) || !bytes) throw new NoteError('A verifier key has the form <name>+<hash>+<base64>.')
  if (bytes[0] !== ed25519 || bytes.length !== 33) throw new NoteError('The verifier key is not an Ed25519 key.')
  const key = { name, publicKey: bytes.subarray(1) }
  if (keyHashOf(key).toString('hex') !== hash)
    throw new NoteError('The hash in the verifier key does not match the key.')
  return key
}

/** Builds a note with one signature. `text` must end with a line feed. */
export const buildNote = (text: string, key: VerifierKey, signature: Buffer): string =>
  `${text}\n— ${key.name} ${Buffer.concat([keyHashOf(key), signature]).toString('base64')}\n`

export function parseNote(note: string): SignedNote {
  const split = note.lastIndexOf('\n\n')
  if (split < 0 || !note.endsWith('\n')) throw new NoteError('A note must be a text, an empty line, and signatures.')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be in a note
  if (/[\u0000-\u0009\u000b-\u001f]/.test(note) || !note.isWellFormed()) {
    throw new NoteError('A note must not have control characters other than line feeds.')
  }
  const lines = note.slice(split + 2, -1).split('\n')
  const signatures = lines.map((line): NoteSignature => {
    const [, name = '', encoded = ''] = /^— (\S+) (\S+)$/u.exec(line) ?? []
    const bytes = base64(encoded)
    if (!isKeyName(name) || !bytes || bytes.length < 5) throw new NoteError('A signature of the note is malformed.')
    return { name, keyHash: bytes.subarray(0, 4), signature: bytes.subarray(4) }
  })
  return { text: note.slice(0, split + 1), signatures }
}

/** Verifies a note and returns its text. Returns null without a valid signature by `key`. @throws NoteError if the note is malformed */
export function openNote(note: string, key: VerifierKey): string | null {
  const { text, signatures } = parseNote(note)
  const expectedHash = keyHashOf(key)
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: key.publicKey.toString('base64url') },
    format: 'jwk',
  })
  const isOwn = ({ name, keyHash }: NoteSignature) => name === key.name && keyHash.equals(expectedHash)
  const signed = signatures.find(isOwn)
  return signed && verify(null, Buffer.from(text), publicKey, signed.signature) ? text : null
}
