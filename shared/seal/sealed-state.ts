import { randomUUID } from 'node:crypto'
import { clock } from '../core/clock.ts'
import { table, tableName } from '../table/client.ts'
import { PutCommand, UpdateCommand } from '../table/commands.ts'
import { type Key, sealKey, sealPartition } from '../table/keys.ts'
import { getItem } from '../table/read.ts'
import type { SealedLog } from './sealed-log.ts'

/** A sealed log as it is: its newest checkpoint, and up to where that reaches. */
export type SealedState = {
  size: number
  /** Base64, as all hashes that leave the table. */
  root: string
  note: string
  origin: string
  verifier_key: string
  /** Microseconds. */
  signed_at: number
  /** The first entry, or hour, where there were some before the first seal. */
  from: string | null
  /** Of changes: the last commit, and its time. */
  sequence?: number
  time?: number
  /** Of activity: the first hour that is not sealed, in microseconds. */
  hour?: number
}

type StateItem = Partial<Key & SealedState> & { kind?: string; lease?: string; lease_until?: number }

const stateOf = ({ size, ...item }: Partial<SealedState>): SealedState | null =>
  size === undefined ? null : ({ ...item, size } as SealedState)

/** Null before the first seal. */
export async function readSealedState(account: string, log: SealedLog): Promise<SealedState | null> {
  return stateOf((await getItem<Key & StateItem>(sealKey(account, log))) ?? {})
}

/** A checkpoint that was signed. */
export type KeptCheckpoint = Pick<SealedState, 'size' | 'root' | 'note'>

const checkpointKey = (account: string, log: SealedLog, size: number): Key => ({
  pk: sealPartition(account, log),
  sk: `checkpoint#${String(size).padStart(16, '0')}`,
})

export async function putCheckpoint(account: string, log: SealedLog, checkpoint: KeptCheckpoint): Promise<void> {
  const Item = { ...checkpointKey(account, log, checkpoint.size), kind: 'seal_checkpoint', ...checkpoint }
  await table().send(new PutCommand({ TableName: tableName(), Item }))
}

/** The checkpoint of this size, if one was signed. */
export const readCheckpoint = (account: string, log: SealedLog, size: number) =>
  getItem<Key & KeptCheckpoint>(checkpointKey(account, log, size))

/** Longer than a run of the sealing function can take: who has it alone seals. */
export const leaseMicros = 300_000_000
/** Nothing is signed so shortly before the lease ends. */
const marginMicros = 30_000_000

const isUnmet = (error: unknown): boolean => error instanceof Error && error.name === 'ConditionalCheckFailedException'

/** The right to seal a log, which one run has at a time. */
export class Lease {
  private readonly key: Key
  private readonly owner: string
  private readonly until: number
  /** Null before the first seal. */
  state: SealedState | null
  /** The first hour of activity that was not looked at. */
  readonly hour: number | undefined

  private constructor(key: Key, owner: string, until: number, item: Partial<SealedState>) {
    this.key = key
    this.owner = owner
    this.until = until
    this.state = stateOf(item)
    this.hour = item.hour
  }

  /** Null where another run has it. */
  static async take(account: string, log: SealedLog): Promise<Lease | null> {
    const key = sealKey(account, log)
    const owner = randomUUID()
    const until = clock.now() + leaseMicros
    try {
      await table().send(
        new UpdateCommand({
          TableName: tableName(),
          Key: key,
          UpdateExpression: 'SET #kind = :kind, #lease = :owner, #until = :until',
          ConditionExpression: 'attribute_not_exists(#until) OR #until < :now',
          ExpressionAttributeNames: { '#kind': 'kind', '#lease': 'lease', '#until': 'lease_until' },
          ExpressionAttributeValues: { ':kind': 'seal', ':owner': owner, ':until': until, ':now': clock.now() },
        }),
      )
    } catch (error) {
      if (isUnmet(error)) return null
      throw error
    }
    const {
      pk: _pk,
      sk: _sk,
      kind: _kind,
      lease: _lease,
      lease_until: _until,
      ...item
    } = ((await getItem<Key & StateItem>(key)) ?? {}) as StateItem
    return new Lease(key, owner, until, item)
  }

  /** @throws Error when too little time is left to sign anything */
  check(): void {
    if (clock.now() > this.until - marginMicros) throw new Error('The lease of the log ends; the next run goes on.')
  }

  /** Stores what was sealed, while this run has the lease. */
  async store(state: SealedState | Pick<SealedState, 'hour'>): Promise<void> {
    const Item = { ...this.key, kind: 'seal', ...state, lease: this.owner, lease_until: this.until }
    await table().send(new PutCommand({ TableName: tableName(), Item, ...this.condition() }))
    this.state = stateOf(state)
  }

  /** Leaves the log to the next run; another may have it already. */
  async end(): Promise<void> {
    const UpdateExpression = 'REMOVE #lease, lease_until'
    const command = new UpdateCommand({ TableName: tableName(), Key: this.key, UpdateExpression, ...this.condition() })
    await table()
      .send(command)
      .catch((error) => {
        if (!isUnmet(error)) throw error
      })
  }

  private condition() {
    return {
      ConditionExpression: '#lease = :owner',
      ExpressionAttributeNames: { '#lease': 'lease' },
      ExpressionAttributeValues: { ':owner': this.owner },
    }
  }
}
