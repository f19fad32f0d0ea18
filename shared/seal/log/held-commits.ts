import { type CommitRecord, readCommitRecord } from '../../commit/commit-record.ts'
import { clock } from '../../core/clock.ts'
import { instantOf, logId, positionTail } from '../../logs/log-id.ts'
import { logKeys, retentionMicros } from '../../logs/log-keys.ts'
import type { LogItem } from '../../logs/part-reader.ts'
import { walkLogs } from '../../logs/walk-logs.ts'
import { commitKey } from '../../table/keys.ts'
import { getItem, passingItems } from '../../table/read.ts'
import { leafHash } from '../merkle/merkle-hash.ts'
import { changeText, type EntrySource, saysSame, sealedAttributes, storedText } from './entry-text.ts'
import { SealDamage } from './seal-damage.ts'

/** A commit with the leaves of its entries. */
export type HeldCommit = {
  sequence: number
  time: number
  isNumbered: boolean
  leaves: { id: string; hash: Buffer }[]
}

/** What is read of a commit. */
type Numbered = EntrySource & Pick<CommitRecord, 'sequence' | 'first_leaf'>
type NumberedItem = Numbered & { version?: number }
const numberedAttributes = ['version', 'sequence', 'time', 'first_leaf', 'subject', 'run_id', 'changes'] as const

/** Up to where a log was held. */
type After = { account: string; sequence: number; time: number; leaves: number }

/** An entry that is still on its way is waited for so long; its consumer has an alarm of its own. */
const onItsWayMicros = 900_000_000
/** The end of retention is no sharp line while a run reads. */
const hourMicros = 3_600_000_000

const damageAt = (problem: 'gap' | 'misnumbered', { time }: { time: number }) =>
  new SealDamage(problem, logId('change', time, positionTail(0)))

/** The commit records behind a sequence up to `last`, without a gap. @throws SealDamage */
async function* recordsAfter(account: string, sequence: number, last: number): AsyncGenerator<Numbered> {
  let next = sequence + 1
  let time = 0
  const certain = async (found?: Numbered): Promise<Numbered> => {
    const item = await getItem(commitKey(account, next))
    if (!item) throw damageAt('gap', found ?? { time })
    return readCommitRecord(item)
  }
  const { pk, sk } = commitKey(account, sequence)
  for await (const item of passingItems<NumberedItem>(pk, { after: sk, relaxed: true }, numberedAttributes)) {
    const found: Numbered = readCommitRecord(item)
    // A relaxed read can have overlooked one.
    while (next < found.sequence) {
      yield await certain(found)
      next++
    }
    if (found.sequence > last) return
    yield found
    next++
    time = found.time
  }
  for (; next <= last; next++) yield await certain()
}

/**
 * The commits behind those that are sealed, each held against the entries of the change log (S2.4). Ends before a commit
 * whose entries are still on their way.
 * @throws SealDamage for what does not hold
 */
export async function* heldCommits(
  { account, sequence, time, leaves }: After,
  last: number,
): AsyncGenerator<HeldCommit> {
  const now = clock.now()
  const kept = now - retentionMicros('change') + hourMicros
  const begin = Math.max(time + 1, kept)
  const entries = walkLogs({
    account,
    streams: ['change'],
    ascending: true,
    begin,
    end: now,
    relaxed: true,
    passing: sealedAttributes,
    expected: 500,
  })
  let entry = await entries.next()
  let next = leaves

  const stored = async (id: string): Promise<LogItem | undefined> => {
    if (!entry.done && entry.value.sk < id) throw new SealDamage('unfounded', entry.value.sk)
    if (entry.done || entry.value.sk !== id) return getItem<LogItem & { pk: string }>(logKeys(account, id)[0] as never)
    const { value } = entry
    entry = await entries.next()
    return value
  }

  for await (const record of recordsAfter(account, sequence, last)) {
    if (record.first_leaf !== null && record.first_leaf !== next) throw damageAt('misnumbered', record)
    const held: HeldCommit['leaves'] = []
    for (const position of record.changes.keys()) {
      const id = logId('change', record.time, positionTail(position))
      let text: string | undefined
      if (record.time >= kept) {
        const item = await stored(id)
        if (!item && record.time > now - onItsWayMicros) return
        if (!item) throw new SealDamage('missing', id)
        if (!saysSame(item, record, position)) throw new SealDamage('altered', id)
        if (item.leaf !== undefined && item.leaf !== next) throw new SealDamage('misnumbered', id)
        text = storedText(item)
      }
      held.push({ id, hash: leafHash(text ?? changeText(record, position)) })
      next++
    }
    if (!entry.done && instantOf(entry.value.sk) <= record.time) throw new SealDamage('unfounded', entry.value.sk)
    yield { sequence: record.sequence, time: record.time, isNumbered: record.first_leaf !== null, leaves: held }
  }
}
