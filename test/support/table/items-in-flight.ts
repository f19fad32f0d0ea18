import { setImmediate } from 'node:timers/promises'
import { clock } from '#shared/core/clock.ts'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { SeededRandom } from '#test/simulation/world/seeded-random.ts'
import { type EngineAnswer, type EngineRequest, engineError, interceptEngine } from './intercept-engine.ts'
import { statementKey } from './statement-key.ts'

type Attribute = { S?: string }
type WireKey = { pk: Attribute; sk: Attribute }
/** A callback at a point in simulated time. `order` breaks ties between events at the same time. */
type Event = { at: number; order: number; happen: () => unknown }
type InFlight = { transactions: number; writes: number }

const address = (key: unknown): string => {
  const { pk, sk } = key as WireKey
  return `${pk.S}\n${sk.S}`
}
const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.map((one) => fieldsOf(one)) : []

/** Keys of the items that a request writes or checks, in request order. */
function touchedItems({ operation, input }: EngineRequest): string[] {
  if (operation === 'PutItem') return [address(input.Item)]
  if (operation === 'UpdateItem' || operation === 'DeleteItem') return [address(input.Key)]
  if (operation === 'TransactWriteItems') {
    return listOf(input.TransactItems).map((action) => {
      const [write = {}] = Object.values(action).map(fieldsOf)
      return address(write.Item ?? write.Key)
    })
  }
  if (operation === 'BatchExecuteStatement') {
    return listOf(input.Statements).map(({ Statement, Parameters }) => {
      const values = listOf(Parameters).map(({ S }) => S ?? null)
      const { pk, sk } = statementKey({ Statement: String(Statement), Parameters: values })
      return `${pk}\n${sk}`
    })
  }
  if (operation === 'GetItem' || operation === 'BatchGetItem' || operation === 'Query') return []
  throw new Error(`The simulation does not support ${operation}.`)
}

/**
 * Latencies by operation in milliseconds: a minimum, and the mean of an exponentially distributed extra delay. One request in a hundred
 * takes ten times as long.
 */
type Latencies = Record<string, [min: number, mean: number]>
const latencies: Latencies = { GetItem: [2, 2], BatchGetItem: [3, 4], Query: [3, 4], TransactWriteItems: [12, 12] }

/**
 * Simulates time and DynamoDB's transaction conflicts in front of the engine, which is serial and never has conflicts. Each request takes
 * effect at a point within its latency. An item can take part in only one transaction at a time. A plain write to an item in a transaction
 * fails with `TransactionConflictException`. A transaction is cancelled with the reason `TransactionConflict` if one of its items is in
 * another transaction or in a plain write. Reads and plain writes do not conflict. (Transactions, "Transaction conflict handling in
 * DynamoDB"; TransactWriteItems, "An ongoing operation is in the process of updating the same item".)
 */
export class ItemsInFlight {
  /** Milliseconds since the start of the simulation. */
  time = 0
  conflicts = 0
  private readonly random: SeededRandom
  private readonly latencies: Latencies
  private readonly events: Event[] = []
  private readonly inFlight = new Map<string, InFlight>()
  /** Restores the engine and the clock. */
  readonly end: () => void
  private order = 0

  /**
   * Makes the waits and table requests of this process use simulated time until `end` is called.
   * @param slower higher latencies by operation, so that more events happen during a request
   */
  constructor(seed: number, slower: Latencies = {}) {
    this.latencies = { ...latencies, ...slower }
    this.random = new SeededRandom(seed)
    const real = { ...clock }
    const start = Date.now()
    let last = 0
    clock.monotonic = () => start + this.time
    clock.sleep = (ms) => this.after(ms, () => {})
    clock.now = () => {
      last = Math.max(Math.floor((start + this.time) * 1_000), last + 1)
      return last
    }
    const stepAside = interceptEngine((request) => this.answer(request))
    this.end = () => {
      stepAside()
      Object.assign(clock, real)
    }
  }

  /** Runs tasks concurrently in simulated time. Returns each result with its duration in simulated milliseconds. */
  async run<T>(work: (() => Promise<T>)[]): Promise<{ result: T; ms: number }[]> {
    let left = work.length
    const results = Promise.all(
      work.map(async (one) => {
        const began = this.time
        try {
          return { result: await one(), ms: this.time - began }
        } finally {
          left--
        }
      }),
    )
    results.catch(() => {})
    while (left > 0) {
      // Lets the tasks send their next requests before the next event is chosen.
      await setImmediate()
      const event = this.next()
      if (!event) continue
      this.time = event.at
      await event.happen()
    }
    return results
  }

  private after<T>(ms: number, happen: () => T): Promise<Awaited<T>> {
    return new Promise((resolve, reject) => {
      const run = async () => {
        try {
          resolve(await happen())
        } catch (error) {
          reject(error)
        }
      }
      this.push({ at: this.time + ms, order: this.order++, happen: run })
    })
  }

  private push(event: Event): void {
    const { events } = this
    let at = events.push(event) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(event, events[parent] as Event)) break
      events[at] = events[parent] as Event
      at = parent
    }
    events[at] = event
  }

  private next(): Event | undefined {
    const { events } = this
    const [first] = events
    const last = events.pop()
    if (!first || !last || first === last) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= events.length) break
      if (child + 1 < events.length && isBefore(events[child + 1] as Event, events[child] as Event)) child++
      if (!isBefore(events[child] as Event, last)) break
      events[at] = events[child] as Event
      at = child
    }
    events[at] = last
    return first
  }

  private latencyOf(operation: string): number {
    const [min, mean] = this.latencies[operation] ?? [4, 4]
    const ms = min - mean * Math.log(1 - this.random.next())
    return this.random.chance(0.01) ? 10 * ms : ms
  }

  private async answer(request: EngineRequest): Promise<EngineAnswer> {
    const isTransaction = request.operation === 'TransactWriteItems'
    const items = touchedItems(request)
    const ms = this.latencyOf(request.operation)
    const refusal = this.refusal(request.operation, items)
    if (refusal) {
      this.conflicts++
      return this.after(ms, () => refusal)
    }
    const kind = isTransaction ? 'transactions' : 'writes'
    for (const item of items) this.hold(item, kind, 1)
    try {
      const before = ms * this.random.next()
      const answer = await this.after(before, request.send)
      return await this.after(ms - before, () => answer)
    } finally {
      for (const item of items) this.hold(item, kind, -1)
    }
  }

  /** Returns the error for a request that conflicts on one of these items, or null if there is no conflict. */
  private refusal(operation: string, items: string[]): EngineAnswer | null {
    const isTransaction = operation === 'TransactWriteItems'
    const meets = items.map((item) => {
      const { transactions = 0, writes = 0 } = this.inFlight.get(item) ?? {}
      return transactions > 0 || (isTransaction && writes > 0)
    })
    if (!meets.includes(true)) return null
    if (operation === 'BatchExecuteStatement') throw new Error('The simulation supports no conflicts of statements.')
    if (!isTransaction) return engineError('TransactionConflictException')
    const CancellationReasons = meets.map((isConflict) => ({ Code: isConflict ? 'TransactionConflict' : 'None' }))
    return engineError('TransactionCanceledException', { CancellationReasons })
  }

  private hold(item: string, kind: keyof InFlight, by: 1 | -1): void {
    const counts = this.inFlight.get(item) ?? { transactions: 0, writes: 0 }
    counts[kind] += by
    if (counts.transactions + counts.writes === 0) this.inFlight.delete(item)
    else this.inFlight.set(item, counts)
  }
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)
