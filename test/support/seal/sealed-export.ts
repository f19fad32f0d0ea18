import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { timestamp } from '#shared/core/clock.ts'
import { logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { type ExportSeal, entryLine, exportVersion, markBytes, sealLine } from '#shared/seal/export/export-seal.ts'
import { canonicalJson } from '#shared/seal/log/canonical-json.ts'
import { leafHash } from '#shared/seal/merkle/merkle-proof.ts'
import { checkpointText } from '#shared/seal/notes/checkpoint.ts'
import { buildNote, verifierKeyText } from '#shared/seal/notes/signed-note.ts'
import { PlainTree } from './plain-merkle-tree.ts'

export type Entry = Record<string, unknown> & { log_id: string; timestamp: string }

const start = 1_700_000_000_000_000
const second = 1_000_000

/** Timestamp of the entry at an index. There is one entry per second. */
export const instantAt = (index: number): string => timestamp(start + index * second)

export function changeAt(index: number, after: object = { name: `Group ${index}` }): Entry {
  const micros = start + index * second
  const log_id = logId('change', micros, positionTail(0))
  const common = { type: 'change', log_id, timestamp: timestamp(micros), object: 'groups', operation: 'insert' }
  return { ...common, before: null, after, subject: null, run_id: null }
}

export const changes = (count: number): Entry[] => Array.from({ length: count }, (_, i) => changeAt(i))

/** Signing key for a test's logs, and the account named in the origin of these logs. */
export type Signer = { privateKey: KeyObject; key: { name: string; publicKey: Buffer }; account: string }

export function newSigner(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const key = { name: 'access.example.com/seal', publicKey: Buffer.from(x, 'base64url') }
  return { privateKey, key, account: randomUUID() }
}

export const keyText = ({ key }: Signer): string => verifierKeyText(key)

type Log = { entries: Entry[]; signer: Signer; origin?: string; extensions?: string[] }

export const originOf = ({ signer, origin }: Pick<Log, 'signer' | 'origin'>): string =>
  `access.example.com/${signer.account}/${origin ?? 'changes'}`

const treeOf = (entries: Entry[]) => new PlainTree(entries.map((entry) => leafHash(canonicalJson(entry))))

export const rootOf = (entries: Entry[]): Buffer => treeOf(entries).root(0, entries.length)

export function noteFor(log: Log): string {
  const { entries, signer, extensions = [] } = log
  const text = checkpointText({ origin: originOf(log), size: entries.length, root: rootOf(entries), extensions })
  return buildNote(text, signer.key, sign(null, Buffer.from(text), signer.privateKey))
}

/** Builds an export as `npm run export` writes it, with the entries from index `from` to `to` (exclusive). */
export function sealedExport(log: Log, from = 0, to = log.entries.length, sealFields: Partial<ExportSeal> = {}) {
  const { entries, signer } = log
  const tree = treeOf(entries)
  const place = (index: number) => ({
    leaf_index: index,
    path: tree.path(index, entries.length).map((hash) => hash.toString('base64')),
  })
  const exported = entries.slice(from, to)
  const marks = exported.map((entry) => leafHash(canonicalJson(entry)).subarray(0, markBytes))
  const [first, last] = [Math.max(0, from - 1), Math.min(entries.length - 1, to)]
  const seal: ExportSeal = {
    type: 'seal',
    version: exportVersion,
    log: 'changes',
    stream: 'change',
    range: { begin: timestamp(start + (from - 0.5) * second), end: timestamp(start + (to - 0.5) * second) },
    note: noteFor(log),
    verifier_key: keyText(signer),
    entries: exported.length,
    before: entries[from - 1] ?? null,
    after: entries[to] ?? null,
    first: first > 0 ? place(first) : null,
    last: last < entries.length - 1 ? place(last) : null,
    ...sealFields,
    leaves: Buffer.concat(marks).toString('base64'),
  }
  return { lines: exported.map(entryLine), seal }
}

export const exportText = ({ lines, seal }: { lines: string[]; seal: ExportSeal }): string =>
  [...lines, sealLine(seal)].map((line) => `${line}\n`).join('')
