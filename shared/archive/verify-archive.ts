import * as v from 'valibot'
import { archiveStore } from '../core/aws/object-store.ts'
import { hourMicros, parseTimestamp, timestamp } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { readAccountIdOrAll, readEvent } from '../core/event-account.ts'
import { isTransient } from '../core/transient-error.ts'
import { type ManifestItem, readArchiveState } from '../logs/blocks/archive-view.ts'
import { archivePartition } from '../logs/blocks/block-keys.ts'
import { logStreams } from '../logs/entries/log-id.ts'
import { manifestPath } from '../logs/files/file-index.ts'
import { sealedAccountsPartition } from '../seal/log/sealed-log.ts'
import { hashBytes, leafHash } from '../seal/merkle/merkle-proof.ts'
import { GrowingTree } from '../seal/merkle/tiles.ts'
import { parseCheckpoint } from '../seal/notes/checkpoint.ts'
import { openNote, parseVerifierKey, type VerifierKey, verifierKeyText } from '../seal/notes/signed-note.ts'
import { readSealedLog } from '../seal/sealing/sealed-state.ts'
import { leafHashes } from '../seal/sealing/table-tiles.ts'
import { sealPartition } from '../table/keys.ts'
import { queryItems, sortKeysOf } from '../table/read.ts'
import { rejectUnknownAccount } from '../table/reject-unknown-account.ts'
import { UnlistedErasure } from './archive-mismatch.ts'
import { type ListedErasure, readIfValid } from './manifest.ts'
import { hourOfPath, isExpired } from './object-hour.ts'
import { verifyFile } from './put-file.ts'

/**
 * Damage of an archive. `missing`: an object that a manifest lists, or a manifest, does not exist. `altered`: an object differs from its
 * manifest, or a manifest from the sealed log. `unknown`: no manifest lists the object. `unsigned`: the key has not signed the sealed log.
 * `erased`: a file has other erased rows than sealed manifests list (R12.4).
 */
type ArchiveFinding = {
  account_id: string
  at: string
  problem: 'missing' | 'altered' | 'unknown' | 'unsigned' | 'erased'
}

/** Position from which the next call continues: the end of the hour of the last verified manifest, its number and its leaf hash. */
const Next = v.strictObject({
  account_id: v.string(),
  from: v.string(),
  manifest: v.optional(v.strictObject({ number: v.number(), hash: v.string() })),
})

type Next = v.InferOutput<typeof Next>

const VerifyEvent = v.strictObject({
  account_id: v.optional(v.nullable(v.string())),
  from: v.optional(v.nullable(v.string())),
  until: v.optional(v.nullable(v.string())),
  key: v.optional(v.nullable(v.string())),
  next: v.optional(v.nullable(Next)),
})

/** Result of a verification. `unsealed` is the number of manifests that no checkpoint covers yet. */
type Verification = {
  accounts: number
  manifests: number
  unsealed: number
  files: number
  rows: number
  findings: ArchiveFinding[]
  /** Keys that the checkpoints were verified with. */
  verifier_keys: string[]
  next: Next | null
}

type Window = { from: number; until: number; next: Next | null; hasTime: () => boolean }

function readTime(name: string, text: string | null | undefined, absent: number): number {
  const micros = text ? parseTimestamp(text) : absent
  if (micros === null) throw new ApiError('bad_request', `${name} must be an RFC 3339 timestamp.`)
  return micros
}

/** Returns the leaf hashes of the archive log. Reports a log whose checkpoint the key has not signed, or whose tiles differ from it. */
async function sealedLeaves(account: string, expected: VerifierKey | null, result: Verification): Promise<Buffer[]> {
  const { state } = await readSealedLog(account, 'archive')
  if (!state) return []
  const key = expected ?? parseVerifierKey(state.verifier_key)
  if (!result.verifier_keys.includes(verifierKeyText(key))) result.verifier_keys.push(verifierKeyText(key))
  const hashes = await leafHashes(sealPartition(account, 'archive'), 0, state.size)
  const leaves = Array.from({ length: state.size }, (_, i) => hashes.subarray(i * hashBytes, (i + 1) * hashBytes))
  const tree = new GrowingTree()
  for (const leaf of leaves) tree.add(leaf)
  const text = openNote(state.note, key)
  const checkpoint = text === null ? null : parseCheckpoint(text)
  const isSigned = checkpoint?.size === state.size && checkpoint.root.equals(tree.root())
  if (!isSigned) result.findings.push({ account_id: account, at: 'archive', problem: 'unsigned' })
  return leaves
}

/** Returns the newest state of each file that sealed manifests list under `erasures` (R12.4). */
async function sealedErasures(account: string, leaves: Buffer[]): Promise<Map<string, ListedErasure>> {
  const items = await queryItems<ManifestItem>(archivePartition(account), { between: ['manifest#', 'manifest#~'] })
  const listed = new Map<string, ListedErasure>()
  for (const { hour } of items.filter(({ erasures }) => erasures > 0)) {
    const stored = await readIfValid(manifestPath(account, hour))
    if (!stored || !leaves[stored.manifest.number]?.equals(leafHash(stored.content))) continue
    for (const file of stored.manifest.erasures) listed.set(file.key, file)
  }
  return listed
}

/** Verifies the archive of an account within a window of hours. Returns the position from which to continue, or null at the end. */
async function verifyAccount(
  account: string,
  key: VerifierKey | null,
  { from, until, next, hasTime }: Window,
  result: Verification,
): Promise<Next | null> {
  const report = (at: string, problem: ArchiveFinding['problem']) =>
    result.findings.push({ account_id: account, at, problem })
  const leaves = await sealedLeaves(account, key, result)
  const erased = await sealedErasures(account, leaves)
  // Files after the watermark belong to a flush that has not ended.
  const watermark = (await readArchiveState(account))?.watermark ?? 0
  const listed = new Set<string>()
  let last = next
  let isInterrupted = false
  for await (const { path } of archiveStore().list(`v1/manifest/account=${account}/`)) {
    const hour = hourOfPath(path)
    if (hour < from) continue
    if (hour >= until) break
    isInterrupted = last !== next && !hasTime()
    if (isInterrupted) break
    const stored = await readIfValid(path)
    const hash = stored && leafHash(stored.content)
    if (!stored || !hash || stored.manifest.account_id !== account || Number.isNaN(hour)) {
      report(path, 'altered')
      continue
    }
    const { manifest } = stored
    const previous = last?.manifest
    const expected: number = previous ? previous.number + 1 : from > 0 ? manifest.number : 0
    for (let number = expected; number < manifest.number; number++) report(`manifest ${number}`, 'missing')
    const sealed = leaves[manifest.number]
    const follows: boolean =
      previous?.number !== manifest.number - 1 || (manifest.previous === previous.hash && manifest.from === last?.from)
    if (manifest.number < expected || !follows || (sealed && !sealed.equals(hash))) report(path, 'altered')
    if (!sealed) result.unsealed++
    result.manifests++
    for (const file of manifest.files) {
      listed.add(file.key)
      try {
        await verifyFile(file, erased.get(file.key))
      } catch (error) {
        if (isTransient(error)) throw error
        const problem = error instanceof UnlistedErasure ? 'erased' : 'altered'
        if (await archiveStore().getTail(file.key, 1)) report(file.key, problem)
        else if (!isExpired(file.key)) report(file.key, 'missing')
      }
      result.files++
      result.rows += file.rows
    }
    const position = { number: manifest.number, hash: hash.toString('base64') }
    last = { account_id: account, from: timestamp(hour + hourMicros), manifest: position }
  }
  if (!isInterrupted && until === Number.POSITIVE_INFINITY && (last?.manifest || from === 0))
    for (let number = (last?.manifest?.number ?? -1) + 1; number < leaves.length; number++)
      report(`manifest ${number}`, 'missing')
  const end = Math.min(watermark, (isInterrupted && parseTimestamp(last?.from ?? '')) || until)
  for (const stream of logStreams) {
    for await (const { path } of archiveStore().list(`v1/${stream}/account=${account}/`)) {
      const hour = hourOfPath(path)
      const isOutside = hour < from || hour + hourMicros > end
      if (!listed.has(path) && !isOutside && !isExpired(path)) report(path, 'unknown')
    }
  }
  return isInterrupted ? last : null
}

/**
 * Verifies the archive (R11): each file against its manifest, and each manifest against the sealed log. Read-only.
 * @param event `account_id` limits the check to one account, `from` and `until` to a window of hours; `key` is the expected verifier key, by default that of
 * the stored checkpoint;
 * `next` continues an earlier call
 * @throws ApiError `bad_request` for an invalid event, `not_found` for an unknown account
 */
export async function verifyArchive(event: unknown, hasTime: () => boolean = () => true): Promise<Verification> {
  const { key: keyText, from, until, next } = readEvent(VerifyEvent, event)
  const account = readAccountIdOrAll(event)
  const key = keyText ? readKey(keyText) : null
  const window = {
    from: readTime('from', from, 0),
    until: readTime('until', until, Number.POSITIVE_INFINITY),
    next: null,
    hasTime,
  }
  if (account !== null) await rejectUnknownAccount(account)
  const accounts = account === null ? await sortKeysOf(sealedAccountsPartition) : [account]
  const result: Verification = {
    accounts: 0,
    manifests: 0,
    unsealed: 0,
    files: 0,
    rows: 0,
    findings: [],
    verifier_keys: [],
    next: null,
  }
  for (const id of accounts) {
    if (next && id < next.account_id) continue
    const resumed = id === next?.account_id && { from: readTime('next.from', next.from, 0), next }
    if (!hasTime())
      return { ...result, next: resumed ? next : { account_id: id, from: from ?? '1970-01-01T00:00:00Z' } }
    const end = await verifyAccount(id, key, { ...window, ...resumed }, result)
    if (end !== null) return { ...result, next: end }
    result.accounts++
  }
  return result
}

function readKey(text: string): VerifierKey {
  try {
    return parseVerifierKey(text)
  } catch (error) {
    throw new ApiError('bad_request', `key: ${error instanceof Error ? error.message : error}`)
  }
}
