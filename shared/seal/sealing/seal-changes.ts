import { type CommitRecord, readCommitRecord } from '../../commit/commit-record.ts'
import { clock, hourMicros } from '../../core/clock.ts'
import { instantOf, logId, positionTail } from '../../logs/entries/log-id.ts'
import { logKey, retentionMicros } from '../../logs/entries/log-keys.ts'
import type { LogItem } from '../../logs/part-reader.ts'
import { walkLogs } from '../../logs/walk-logs.ts'
import { readAccountVersion } from '../../table/account-version.ts'
import { commitKey } from '../../table/keys.ts'
import { getItem, itemsOf } from '../../table/read.ts'
import { changeText, type EntrySource, matchesCommit, sealedAttributes, storedText } from '../log/entry-text.ts'
import { SealDamage } from '../log/seal-damage.ts'
import { leafHash } from '../merkle/merkle-proof.ts'
import { lacksLeaves, openTree, readNewest, sealTree } from './seal-tree.ts'
import type { Sealing } from './signed-objects.ts'

type VerifiedCommit = { sequence: number; time: number; leaves: { id: string; hash: Buffer }[] }

type NumberedRecord = EntrySource & Pick<CommitRecord, 'sequence' | 'first_leaf'>
type NumberedItem = NumberedRecord & { version?: number }
const numberedAttributes = ['version', 'sequence', 'time', 'first_leaf', 'subject', 'run_id', 'changes'] as const

/** Position up to which a change log is sealed: the last commit, its time in microseconds, and the number of leaves. */
type SealedEnd = { account: string; sequence: number; time: number; leaves: number }

/** Maximum delay in microseconds between a commit and its stored entries. After this delay, a missing entry is reported as damage. */
const maxDelayMicros = 900_000_000
/** Safety margin in microseconds before the end of the retention, because entries can expire during a run. */
const marginMicros = hourMicros

const damageAt = (problem: 'gap' | 'misnumbered', { time }: { time: number }) =>
  new SealDamage(problem, logId('change', time, positionTail(0)))

/** Yields all commit records after `sequence` up to `last`. @throws SealDamage `gap` for a missing record */
async function* recordsAfter(account: string, sequence: number, last: number): AsyncGenerator<NumberedRecord> {
  const { pk, sk } = commitKey(account, sequence)
  const items = itemsOf<NumberedItem>(pk, { after: sk, relaxed: true }, numberedAttributes)
  let { value: found } = await items.next()
  for (let [next, time] = [sequence + 1, 0]; next <= last; next++) {
    const isFound = found?.sequence === next
    // Reads a record that the eventually consistent query did not return.
    const item = isFound ? found : await getItem(commitKey(account, next))
    if (!item) throw damageAt('gap', found ?? { time })
    const record = readCommitRecord(item)
    yield record
    time = record.time
    if (isFound) found = (await items.next()).value
  }
}

/**
 * Yields the commits after the sealed ones, each verified against its entries (S2.4). Stops before a recent commit whose entries are not
 * stored yet. Expired entries are not compared, and their leaves are computed from the commit records.
 * @throws SealDamage for a difference between commits and entries
 */
export async function* verifiedCommits(
  { account, sequence, time, leaves }: SealedEnd,
  last: number,
): AsyncGenerator<VerifiedCommit> {
  const now = clock.now()
  const oldestRetained = now - retentionMicros('change') + marginMicros
  const begin = Math.max(time + 1, oldestRetained)
  const entries = walkLogs({
    account,
    streams: ['change'],
    ascending: true,
    begin,
    end: now,
    relaxed: true,
    attributes: sealedAttributes,
    expected: 500,
  })
  let entry = await entries.next()
  let next = leaves

  const takeEntry = async (id: string): Promise<LogItem | undefined> => {
    if (!entry.done && entry.value.sk < id) throw new SealDamage('unfounded', entry.value.sk)
    if (entry.done || entry.value.sk !== id) return getItem<LogItem & { pk: string }>(logKey(account, id))
    const { value } = entry
    entry = await entries.next()
    return value
  }

  for await (const record of recordsAfter(account, sequence, last)) {
    if (record.first_leaf !== next) throw damageAt('misnumbered', record)
    const verified: VerifiedCommit['leaves'] = []
    for (const position of record.changes.keys()) {
      const id = logId('change', record.time, positionTail(position))
      let text: string | undefined
      if (record.time >= oldestRetained) {
        const item = await takeEntry(id)
        if (!item && record.time > now - maxDelayMicros) return
        if (!item) throw new SealDamage('missing', id)
        if (!matchesCommit(item, record, position)) throw new SealDamage('altered', id)
        if (item.leaf !== next) throw new SealDamage('misnumbered', id)
        text = storedText(item)
      }
      verified.push({ id, hash: leafHash(text ?? changeText(record, position)) })
      next++
    }
    if (!entry.done && instantOf(entry.value.sk) <= record.time) throw new SealDamage('unfounded', entry.value.sk)
    yield { sequence: record.sequence, time: record.time, leaves: verified }
  }
}

/** Maximum number of new leaves per checkpoint. The tiles of new leaves stay in memory until the checkpoint is signed. */
const maxLeaves = 50_000

/**
 * Verifies and seals the change log of an account up to its newest commit, or until the deadline (S2.3).
 * @throws SealDamage if the verification fails
 */
export async function sealChanges(sealing: Sealing, deadline: number): Promise<void> {
  const { account, lease } = sealing
  const { sequence: last } = await readAccountVersion(account)
  for (let more = true; more && clock.monotonic() < deadline; ) {
    more = false
    const { state } = lease
    const progress = { from: state?.from ?? null, sequence: state?.sequence ?? 0, time: state?.time ?? 0 }
    const newest = await readNewest(sealing)
    const tree = await openTree(sealing)
    const target = newest.unfinished?.checkpoint.size ?? tree.size + maxLeaves
    const { sequence: begin } = progress
    for await (const { leaves, sequence, time } of verifiedCommits({ account, ...progress, leaves: tree.size }, last)) {
      if (!state && tree.size === 0 && lease.generation > 1) progress.from ??= leaves[0]?.id ?? null
      for (const { id, hash } of leaves) tree.add(hash, id)
      Object.assign(progress, { sequence, time })
      more = tree.size >= target || clock.monotonic() > deadline
      if (more) break
    }
    if (lacksLeaves(sealing, tree, newest, progress.sequence === last)) return
    if (tree.size > tree.from) await sealTree(sealing, tree, progress, newest)
    else if (state && progress.sequence > begin) await lease.store({ ...state, ...progress })
  }
}
