import { hashBytes } from '../merkle/merkle-hash.ts'
import { NoteError } from './signed-note.ts'

/** C2SP tlog-checkpoint. */
export type Checkpoint = {
  origin: string
  size: number
  root: Buffer
  /** Lines behind the root hash. */
  extensions: string[]
}

export const checkpointText = ({ origin, size, root, extensions }: Checkpoint): string =>
  [origin, size, root.toString('base64'), ...extensions].map((line) => `${line}\n`).join('')

/** The checkpoint in the text of a note. @throws NoteError */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', size = '', root = '', ...rest] = text.split('\n')
  const hash = Buffer.from(root, 'base64')
  const end = rest.pop()
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size)) || end !== '') {
    throw new NoteError('A checkpoint is an origin, a size and a root hash, each in a line.')
  }
  if (hash.length !== hashBytes || hash.toString('base64') !== root) throw new NoteError('The root hash is no hash.')
  if (rest.includes('')) throw new NoteError('A checkpoint has no empty line.')
  return { origin, size: Number(size), root: hash, extensions: rest }
}
