import { hashBytes } from '../merkle/merkle-proof.ts'
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

/** The log that another has followed after a restore (S2.5). */
export type Follows = {
  origin: string
  /** The newest checkpoint that was signed of it. */
  size: number
  root: string
  note: string
  /** Number of its leaves that are the first of the new log, too, and the last of them by its `log_id` or its hour. */
  shared: number
  last: string | null
}

/** The number of a log that follows others, and the log before. */
export type LogStart = { generation?: number; follows?: Follows }

/** The lines of a checkpoint about the log that it follows. */
export const followsLines = ({ origin, size, root, shared, last }: Omit<Follows, 'note'>): string[] => [
  `follows ${origin} ${size} ${root}`,
  shared > 0 ? `shares ${shared} ${last}` : 'shares 0',
]

/** The log that is followed by the lines of a checkpoint; null for none. */
export function parseFollows(lines: string[]): Omit<Follows, 'note'> | null {
  const [, origin, size, root] = lines.map((line) => /^follows (\S+) (\d{1,15}) (\S+)$/.exec(line)).find(Boolean) ?? []
  const [, shared, last] = lines.map((line) => /^shares (\d{1,15})(?: (\S+))?$/.exec(line)).find(Boolean) ?? []
  if (!origin || !root || shared === undefined) return null
  return { origin, size: Number(size), root, shared: Number(shared), last: last ?? null }
}
