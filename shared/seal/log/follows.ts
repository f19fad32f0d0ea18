/** The log that another has followed after a restore (S2.5). */
export type Follows = {
  origin: string
  /** The newest checkpoint that was signed of it. */
  size: number
  root: string
  note: string
  /** So many of its leaves are the first of the new log, too; and the last of them, by its `log_id` or its hour. */
  shared: number
  last: string | null
}

/** A log that follows others: the how-manieth of the account, and the one before. */
export type Begun = { generation?: number; follows?: Follows }

/** The lines that say so in a checkpoint. */
export const followsLines = ({ origin, size, root, shared, last }: Omit<Follows, 'note'>): string[] => [
  `follows ${origin} ${size} ${root}`,
  shared > 0 ? `shares ${shared} ${last}` : 'shares 0',
]

/** What the lines of a checkpoint say; null for a log that follows none. */
export function parseFollows(lines: string[]): Omit<Follows, 'note'> | null {
  const [, origin, size, root] = lines.map((line) => /^follows (\S+) (\d{1,15}) (\S+)$/.exec(line)).find(Boolean) ?? []
  const [, shared, last] = lines.map((line) => /^shares (\d{1,15})(?: (\S+))?$/.exec(line)).find(Boolean) ?? []
  if (!origin || !root || shared === undefined) return null
  return { origin, size: Number(size), root, shared: Number(shared), last: last ?? null }
}
