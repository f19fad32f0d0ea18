import { hashBytes } from '../merkle/merkle-proof.ts'
import { NoteError } from './signed-note.ts'

/** Checkpoint of a log: number of leaves and root of the tree (C2SP tlog-checkpoint). */
export type Checkpoint = { origin: string; size: number; root: Buffer; extensions: string[] }

export const checkpointText = ({ origin, size, root, extensions }: Checkpoint): string =>
  [origin, size, root.toString('base64'), ...extensions].map((line) => `${line}\n`).join('')

/** Parses the text of a note. @throws NoteError if the text is not a checkpoint */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', size = '', root = '', ...extensions] = text.split('\n')
  const hash = Buffer.from(root, 'base64')
  const end = extensions.pop()
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size)) || end !== '') {
    throw new NoteError('A checkpoint is an origin, a size and a root hash, one per line.')
  }
  if (hash.length !== hashBytes || hash.toString('base64') !== root) throw new NoteError('The root hash is not a hash.')
  if (extensions.includes('')) throw new NoteError('A checkpoint has no empty line.')
  return { origin, size: Number(size), root: hash, extensions }
}

/** Predecessor of a log that was started after a restore (S2.5). */
export type Follows = {
  origin: string
  /** `size`, `root` and `note` are those of the predecessor's newest signed checkpoint. */
  size: number
  root: string
  note: string
  /** Number of leaves that both logs share. `last` is the log id or hour of the last shared leaf; null if there is none. */
  shared: number
  last: string | null
}

/** `generation` is absent for the first generation. `follows` is the predecessor of the log. */
export type LogStart = { generation?: number; follows?: Follows }

export const followsLines = ({ origin, size, root, shared, last }: Omit<Follows, 'note'>): string[] => [
  `follows ${origin} ${size} ${root}`,
  shared > 0 ? `shares ${shared} ${last}` : 'shares 0',
]

export function parseFollows(lines: string[]): Omit<Follows, 'note'> | null {
  const [, origin, size, root] = lines.map((line) => /^follows (\S+) (\d{1,15}) (\S+)$/.exec(line)).find(Boolean) ?? []
  const [, shared, last] = lines.map((line) => /^shares (\d{1,15})(?: (\S+))?$/.exec(line)).find(Boolean) ?? []
  if (!origin || !root || shared === undefined) return null
  return { origin, size: Number(size), root, shared: Number(shared), last: last ?? null }
}
