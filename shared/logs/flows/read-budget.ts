/** Limits of a request. `units` are read units, and `blocks` those of blocks alone. */
type Amounts = { units: number; blocks: number; groups: number; rows: number; files: number }
export type ReadLimits = Readonly<Partial<Amounts>>

/** Returns the read units of a query. */
const unitsOf = (bytes: number, relaxed: boolean): number => Math.ceil(bytes / 4_096) * (relaxed ? 0.5 : 1)

/** Read units that are reserved for a query of index items or counters, until its size is known. */
const reservedUnits = 100

/** Approximate size of the keys and the other attributes of a block. */
const keyBytes = 200

type Read<T> = (onRead: (bytes: number) => void) => Promise<T>

/** Amounts that a walk may still read. Amounts without a limit are not counted. */
export class ReadBudget {
  private readonly limits: ReadLimits
  private readonly left: Partial<Amounts>
  /** True after a source was refused. The walk then ends. */
  isExhausted = false
  /** Start of a flow, in microseconds, at which the walk ended. All flows before it in the order of the walk were read. */
  end: number | null = null

  constructor(limits: ReadLimits) {
    this.limits = limits
    this.left = { ...limits }
  }

  /** Takes all amounts. Returns false, and takes none, if less is left of one of them. */
  take(amounts: ReadLimits): boolean {
    const names = Object.keys(this.limits) as (keyof Amounts)[]
    if (names.some((name) => (amounts[name] ?? 0) > (this.left[name] as number))) {
      this.isExhausted = true
      return false
    }
    this.spend(amounts)
    return true
  }

  /** Takes amounts that are already read, even if less is left. */
  spend(amounts: ReadLimits): void {
    for (const name of Object.keys(this.limits) as (keyof Amounts)[])
      this.left[name] = (this.left[name] as number) - (amounts[name] ?? 0)
  }

  /** Reads with a reservation. `read` reports the bytes of each result. Returns null if nothing may be read. */
  async query<T>(relaxed: boolean, read: Read<T>): Promise<T | null> {
    if (!this.take({ units: reservedUnits })) return null
    let bytes = 0
    const result = await read((size) => {
      bytes += size
    })
    this.spend({ units: unitsOf(bytes, relaxed) - reservedUnits })
    return result
  }

  /** Takes read units of at most `count` blocks of the given size. Returns the number of blocks that may be read. */
  takeBlocks(count: number, bytes: number, relaxed: boolean): number {
    const units = unitsOf(bytes, relaxed)
    const available = Math.min(
      this.left.units ?? Number.POSITIVE_INFINITY,
      this.left.blocks ?? Number.POSITIVE_INFINITY,
    )
    const possible = Math.min(count, Math.floor(available / units))
    if (possible < 1) {
      this.isExhausted = true
      return 0
    }
    this.spend({ units: possible * units, blocks: possible * units })
    return possible
  }

  /** Replaces the units that `takeBlocks` took by those of the blocks that were read. */
  settleBlocks(count: number, bytes: number, blocks: readonly { content?: Uint8Array }[], relaxed: boolean): void {
    const read = unitsOf(
      blocks.reduce((sum, { content }) => sum + (content?.length ?? 0) + keyBytes, 0),
      relaxed,
    )
    const units = read - count * unitsOf(bytes, relaxed)
    this.spend({ units, blocks: units })
  }

  /** Grants the limits again to a walk that has not passed a single start, so that it makes progress. */
  extend(): void {
    Object.assign(this.left, this.limits)
    this.isExhausted = false
  }
}

/** Reads within a budget, or without limits. `read` reports the bytes of each result. Returns null if nothing may be read. */
export const queryWithin = <T>(budget: ReadBudget | undefined, relaxed: boolean, read: Read<T>): Promise<T | null> =>
  budget ? budget.query(relaxed, read) : read(() => {})
