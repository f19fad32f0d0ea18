import { createPrivateKey, sign } from 'node:crypto'
import { expect, it } from 'vitest'
import { emptyRoot } from '#shared/seal/merkle/merkle-proof.ts'
import { checkpointText, parseCheckpoint } from '#shared/seal/notes/checkpoint.ts'
import {
  buildNote,
  NoteError,
  openNote,
  parseNote,
  parseVerifierKey,
  verifierKeyText,
} from '#shared/seal/notes/signed-note.ts'

/** Example from the public Go implementation (golang.org/x/mod/sumdb/note). */
const peter = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const secret = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1)
const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const note = `${text}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`

const key = parseVerifierKey(peter)

it('verifies the published note with the published key', () => {
  expect(openNote(note, key)).toBe(text)
  expect(verifierKeyText(key)).toBe(peter)
})

it('builds the published note', () => {
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), secret])
  const signature = sign(null, Buffer.from(text), createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }))
  expect(buildNote(text, key, signature)).toBe(note)
})

it('does not verify a note that was changed, or signed by another key or name', () => {
  expect(openNote(note.replace('answer', 'ANSWER'), key)).toBeNull()
  expect(openNote(note.replace('x08go/ZJ', 'x08go/ZK'), key)).toBeNull()
  expect(openNote(note, { ...key, publicKey: Buffer.alloc(32, 1) })).toBeNull()
  expect(openNote(note.replace('— PeterNeumann', '— PeterNewmann'), key)).toBeNull()
})

it('verifies a note with further signatures', () => {
  expect(openNote(`${note}— another ${Buffer.alloc(68).toString('base64')}\n`, key)).toBe(text)
})

it.each([
  ['no signature', `${text}\n`],
  ['no empty line', text],
  ['a line that is no signature', `${text}\n- PeterNeumann AAAA\n`],
  ['a control character', note.replace('crypto', 'crypto\u0007')],
  ['no line feed at its end', note.slice(0, -1)],
])('refuses a note with %s', (_what, broken) => {
  expect(() => parseNote(broken)).toThrow(NoteError)
})

it.each([
  ['no form of one', 'PeterNeumann'],
  ['another hash', peter.replace('c74f20a3', 'c74f20a4')],
  ['another algorithm', peter.replace('+AR', '+AB')],
])('refuses a verifier key with %s', (_what, broken) => {
  expect(() => parseVerifierKey(broken)).toThrow(NoteError)
})

it('writes and parses a checkpoint in the form of C2SP tlog-checkpoint', () => {
  const checkpoint = { origin: 'example.com/behind-the-sofa', size: 20_852_163, root: emptyRoot(), extensions: [] }
  const written = checkpointText(checkpoint)
  expect(written).toBe('example.com/behind-the-sofa\n20852163\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n')
  expect(parseCheckpoint(written)).toEqual(checkpoint)
  const more = { ...checkpoint, extensions: ['from c123'] }
  expect(parseCheckpoint(checkpointText(more))).toEqual(more)
})

it.each([
  ['a size with a zero before it', 'origin\n05\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n'],
  ['a size that is no number', 'origin\n-1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n'],
  ['a short hash', 'origin\n1\n47DEQpj8\n'],
  ['no origin', '\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n'],
  ['no end', 'origin\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
])('refuses a checkpoint with %s', (_what, broken) => {
  expect(() => parseCheckpoint(broken)).toThrow(NoteError)
})
