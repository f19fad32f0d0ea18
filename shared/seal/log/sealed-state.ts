import { randomUUID } from 'node:crypto'
import { clock } from '../../core/clock.ts'
import { table, tableName } from '../../table/client.ts'
import { PutCommand, UpdateCommand } from '../../table/commands.ts'
import { type Key, sealKey, sealPartition } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'
import type { Begun } from './follows.ts'
import { Overtaken } from './overtaken.ts'
import { SealDamage } from './seal-damage.ts'
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

type StateItem = Partial<Key & SealedState & Begun> & { kind?: string; lease?: string; lease_until?: number }

const stateOf = ({ size, ...item }: Partial<SealedState>): SealedState | null =>
  size === undefined ? null : ({ ...item, size } as SealedState)

/** Null before the first seal; whether it follows another is known before that, too. */
export async function readSealedLog(account: string, log: SealedLog): Promise<[SealedState | null, Begun]> {
  const { generation, follows, ...item }: StateItem = (await getItem<Key & StateItem>(sealKey(account, log))) ?? {}
  return [stateOf(item), generation === undefined ? {} : { generation, follows }]
}

/** Null before the first seal. */
export const readSealedState = async (account: string, log: SealedLog): Promise<SealedState | null> =>
  (await readSealedLog(account, log))[0]

/** A checkpoint that was signed. */
export type KeptCheckpoint = Pick<SealedState, 'size' | 'root' | 'note'>

const checkpointKey = (account: string, log: SealedLog, size: number): Key => ({
  pk: sealPartition(account, log),
  sk: `checkpoint#${String(size).padStart(16, '0')}`,
})

/** @throws SealDamage where another tree of this size was signed */
export async function putCheckpoint(account: string, log: SealedLog, checkpoint: KeptCheckpoint): Promise<void> {
  const key = checkpointKey(account, log, checkpoint.size)
  const Item = { ...key, kind: 'seal_checkpoint', ...checkpoint }
  const condition = {
    ConditionExpression: 'attribute_not_exists(pk) OR #root = :root',
    ExpressionAttributeNames: { '#root': 'root' },
    ExpressionAttributeValues: { ':root': checkpoint.root },
  }
  await table()
    .send(new PutCommand({ TableName: tableName(), Item, ...condition }))
    .catch((error) => {
      throw error instanceof ConditionalCheckFailedException
        ? new SealDamage('diverged', `${account}/${log}/${key.sk}`)
        : error
    })
}

/** The checkpoint of this size, if one was signed. */
export const readCheckpoint = (account: string, log: SealedLog, size: number) =>
  getItem<Key & KeptCheckpoint>(checkpointKey(account, log, size))

/** Longer than a run of the sealing function can take: who has it alone seals. */
const leaseMicros = 300_000_000
/** Nothing is signed so shortly before the lease ends. */
const marginMicros = 30_000_000

/** The right to seal a log, which one run has at a time. */
export class Lease {
  private readonly key: Key
  private readonly owner: string
  private readonly until: number
  /** Null before the first seal. */
  state: SealedState | null
  /** The first hour of activity that was not looked at. */
  readonly hour: number | undefined
  /** Of a log that follows another (S2.5). */
  begun: Begun

  private constructor(key: Key, owner: string, until: number, { generation, follows, ...item }: StateItem) {
    this.key = key
    this.owner = owner
    this.until = until
    this.state = stateOf(item)
    this.hour = item.hour
    this.begun = generation === undefined ? {} : { generation, follows }
  }

  get generation(): number {
    return this.begun.generation ?? 1
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
      if (error instanceof ConditionalCheckFailedException) return null
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

  /** Stores what was sealed, while this run has the lease. @throws Overtaken where another has it */
  async store(state: SealedState | Pick<SealedState, 'hour'>): Promise<void> {
    const Item = { ...this.key, kind: 'seal', ...state, ...this.begun, lease: this.owner, lease_until: this.until }
    await table()
      .send(new PutCommand({ TableName: tableName(), Item, ...this.condition() }))
      .catch((error) => {
        throw error instanceof ConditionalCheckFailedException ? new Overtaken() : error
      })
    this.state = stateOf(state)
  }

  /** Stores that the log follows another from now on, with what it has of that. @throws Overtaken */
  async begin(begun: Required<Begun>, state: SealedState | Pick<SealedState, 'hour'>): Promise<void> {
    this.begun = begun
    await this.store(state)
  }

  /** Leaves the log to the next run; another may have it already. */
  async end(): Promise<void> {
    const UpdateExpression = 'REMOVE #lease, lease_until'
    const command = new UpdateCommand({ TableName: tableName(), Key: this.key, UpdateExpression, ...this.condition() })
    await table()
      .send(command)
      .catch((error) => {
        if (!(error instanceof ConditionalCheckFailedException)) throw error
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
