import { randomUUID } from 'node:crypto'
import { clock } from '../../core/clock.ts'
import { changeItem } from '../../table/change-item.ts'
import { type Key, sealKey, sealPartition } from '../../table/keys.ts'
import { catchRefusal, putItem } from '../../table/put-item.ts'
import { getItem } from '../../table/read.ts'
import { SealConflict, SealDamage } from '../log/seal-damage.ts'
import type { SealedLog } from '../log/sealed-log.ts'
import type { LogStart } from '../notes/checkpoint.ts'

/** Newest checkpoint of a sealed log, and the position up to which the log is sealed. */
export type SealedState = {
  size: number
  /** Root hash in base64. */
  root: string
  note: string
  origin: string
  verifier_key: string
  /** Time of the signature in microseconds. */
  signed_at: number
  /** Log id or hour of the first leaf if earlier entries are not sealed; else null. */
  from: string | null
  /** Last sealed commit and its time in microseconds; change log only. */
  sequence?: number
  time?: number
  /** First hour that is not sealed, in microseconds; activity log only. */
  hour?: number
}

type Item = Key & Partial<SealedState & LogStart> & { kind: string; lease?: string; lease_until?: number }

type StoredLog = {
  /** Null before the first seal. */
  state: SealedState | null
  start: LogStart
  /** First hour that has not been processed, in microseconds; activity log only. */
  hour: number | undefined
}

function toStoredLog({ pk, sk, kind, lease, lease_until, generation, follows, ...state }: Partial<Item>): StoredLog {
  const start = generation === undefined ? {} : { generation, follows }
  return { state: state.size === undefined ? null : (state as SealedState), start, hour: state.hour }
}

export const readSealedLog = async (account: string, log: SealedLog): Promise<StoredLog> =>
  toStoredLog((await getItem<Item>(sealKey(account, log))) ?? {})

export type StoredCheckpoint = Pick<SealedState, 'size' | 'root' | 'note'>

const checkpointKey = (account: string, log: SealedLog, size: number): Key => ({
  pk: sealPartition(account, log),
  sk: `checkpoint#${String(size).padStart(16, '0')}`,
})

/**
 * Stores a checkpoint, keyed by its size. Idempotent.
 * @throws SealDamage `diverged` if a stored checkpoint of this size has a different root
 */
export async function putCheckpoint(account: string, log: SealedLog, checkpoint: StoredCheckpoint): Promise<void> {
  const key = checkpointKey(account, log, checkpoint.size)
  const condition = {
    ConditionExpression: 'attribute_not_exists(pk) OR root = :root',
    ExpressionAttributeValues: { ':root': checkpoint.root },
  }
  await catchRefusal(putItem({ ...key, kind: 'seal_checkpoint', ...checkpoint }, condition), () => {
    throw new SealDamage('diverged', `${account}/${log}/${key.sk}`)
  })
}

export const readCheckpoint = (account: string, log: SealedLog, size: number) =>
  getItem<Key & StoredCheckpoint>(checkpointKey(account, log, size))

/** Duration of a lease in microseconds, longer than the timeout of the sealing function. */
const leaseMicros = 300_000_000
/** Final period of a lease in microseconds, during which a run signs nothing. */
const marginMicros = 30_000_000

/** Lease that lets a single run seal a log for 5 minutes. Includes the log's stored state. */
export class Lease implements StoredLog {
  private readonly key: Key
  private readonly owner: string
  private readonly until: number
  state: SealedState | null
  readonly hour: number | undefined
  /** Empty for the first generation of a log (S2.5). */
  start: LogStart

  private constructor(key: Key, owner: string, until: number, { state, start, hour }: StoredLog) {
    this.key = key
    this.owner = owner
    this.until = until
    this.state = state
    this.start = start
    this.hour = hour
  }

  get generation(): number {
    return this.start.generation ?? 1
  }

  /** Acquires the lease. Returns null while a different run holds the lease. */
  static async take(account: string, log: SealedLog): Promise<Lease | null> {
    const key = sealKey(account, log)
    const owner = randomUUID()
    const now = clock.now()
    const until = now + leaseMicros
    const before = await changeItem<Partial<Item>>(key, {
      set: { kind: 'seal', lease: owner, lease_until: until },
      when: 'attribute_not_exists(lease_until) OR lease_until < :now',
      values: { now },
    })
    return before && new Lease(key, owner, until, toStoredLog(before))
  }

  /** Prevents signing shortly before the lease expires. @throws Error less than 30 seconds before the lease expires */
  check(): void {
    if (clock.now() > this.until - marginMicros) throw new Error('The lease of the log ends. The next run continues.')
  }

  /** Stores the sealed state. @throws SealConflict if a different run holds the lease */
  async store(state: SealedState | Pick<SealedState, 'hour'>): Promise<void> {
    const item = { ...this.key, kind: 'seal', ...state, ...this.start, lease: this.owner, lease_until: this.until }
    const condition = { ConditionExpression: 'lease = :owner', ExpressionAttributeValues: { ':owner': this.owner } }
    await catchRefusal(putItem(item, condition), () => {
      throw new SealConflict()
    })
    this.state = 'size' in state ? state : null
  }

  async begin(start: Required<LogStart>, state: SealedState | Pick<SealedState, 'hour'>): Promise<void> {
    this.start = start
    await this.store(state)
  }

  async end(): Promise<void> {
    const values = { owner: this.owner }
    await changeItem(this.key, { remove: ['lease', 'lease_until'], when: 'lease = :owner', values })
  }
}
