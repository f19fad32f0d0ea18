import { timestamp } from '../../core/clock.ts'
import { FlowEntry } from '../../logs/entries/log-entry.ts'
import type { LogStream } from '../../logs/entries/log-id.ts'
import { type ColumnType, type FileRow, groupRows, logColumns } from '../../logs/files/columns.ts'
import { rowEntry } from '../../logs/files/entry-rows.ts'
import { type HashReader, inclusionProof, leafHash } from '../merkle/merkle-proof.ts'
import { GrowingTree } from '../merkle/tiles.ts'
import { canonicalJson } from './canonical-json.ts'

type NamedType = [name: string, type: ColumnType]

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1)

/** Fields of a flow's outer path in the order of RFC 8785. */
const outerFields = Object.entries(logColumns.flow.outers?.[0] ?? {}).sort(byName) as NamedType[]

const outerText = (outer: Record<string, unknown>): string =>
  `{${outerFields.map(([name, type]) => `"${name}":${valueText(type, outer[name])}`).join()}}`

/** Writes the value of a column as canonical JSON. Times become texts, and 64-bit integers decimal strings. */
function valueText(type: ColumnType, value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (type === 'timestamp') return `"${timestamp(value as number)}"`
  if (type === 'int') return String(value)
  if (typeof type === 'string') return canonicalJson(value)
  return `[${(value as Record<string, unknown>[]).map(outerText).join()}]`
}

/** Fields of a flow entry in the order of RFC 8785, with the text before each value. */
const flowFields = Object.keys(FlowEntry.entries)
  .sort()
  .map((name, i) => ({
    name,
    type: (logColumns.flow[name] ?? 'string') as ColumnType,
    before: `${i === 0 ? '{' : ','}"${name}":`,
  }))

/** Writes the entry of a flow in RFC 8785 form. Takes a third of the time of `canonicalJson`, because the fields are the same. */
function flowText(row: FileRow): string {
  let text = ''
  for (const { name, type, before } of flowFields)
    text += before + (name === 'type' ? '"flow"' : valueText(type, row[name]))
  return `${text}}`
}

/** Leaf hash of a row: that of its entry in RFC 8785 form (R7.3). An erased row contains the hash of its former entry (R12.4). */
export const rowLeaf = (stream: LogStream, row: FileRow): Buffer =>
  typeof row.erased_leaf === 'string'
    ? Buffer.from(row.erased_leaf, 'base64')
    : leafHash(stream === 'flow' ? flowText(row) : canonicalJson(rowEntry(stream, row)))

function rootOf(hashes: Buffer[]): Buffer {
  const tree = new GrowingTree()
  for (const hash of hashes) tree.add(hash)
  return tree.root()
}

/** Roots of the row groups of a file, and of the file. Each full row group is a complete subtree of the file. */
export function fileTree(leaves: Buffer[]): { root: Buffer; groups: Buffer[] } {
  const groups: Buffer[] = []
  for (let at = 0; at < leaves.length; at += groupRows) groups.push(rootOf(leaves.slice(at, at + groupRows)))
  return { root: rootOf(groups), groups }
}

const hashesOf =
  (hashes: Buffer[]): HashReader =>
  async (nodes) =>
    nodes.map(({ level, index }) => rootOf(hashes.slice(index * 2 ** level, (index + 1) * 2 ** level)))

/** Inclusion proof of a row in its file, from the leaf upward. `leaves` are those of its row group, and `groups` the roots of all groups. */
export async function rowProof(leaves: Buffer[], index: number, groups: Buffer[], group: number): Promise<Buffer[]> {
  const inGroup = await inclusionProof(index, leaves.length, hashesOf(leaves))
  return [...inGroup, ...(await inclusionProof(group, groups.length, hashesOf(groups)))]
}
