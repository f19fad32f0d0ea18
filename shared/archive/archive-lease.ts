import { randomUUID } from 'node:crypto'
import { clock } from '../core/clock.ts'
import { type ArchiveState, archiveStateKey } from '../logs/blocks/archive-view.ts'
import { changeItem } from '../table/change-item.ts'

/** Duration of a lease, longer than the timeout of a function. */
const leaseMicros = 1_200_000_000

/** Lease that lets a single run flush an account, or erase an actor in its archive. */
export class ArchiveLease {
  private readonly account: string
  private readonly owner = randomUUID()

  constructor(account: string) {
    this.account = account
  }

  /** Takes the lease, unless it is held or the watermark has changed since it was read, because a different run has flushed the account. */
  async take(watermark: number | undefined): Promise<boolean> {
    const now = clock.now()
    const before = await changeItem(archiveStateKey(this.account), {
      set: { kind: 'archive', lease: this.owner, lease_until: now + leaseMicros },
      when: `(attribute_not_exists(lease_until) OR lease_until < :now) AND ${
        watermark === undefined ? 'attribute_not_exists(watermark)' : 'watermark = :watermark'
      }`,
      values: { now, ...(watermark !== undefined && { watermark }) },
    })
    return before !== null
  }

  /** Stores the state. Returns false if a different run holds the lease. */
  async store(state: ArchiveState): Promise<boolean> {
    const values = { owner: this.owner }
    return (await changeItem(archiveStateKey(this.account), { set: state, when: 'lease = :owner', values })) !== null
  }

  /** Stores the state, if one is given, and releases the lease. Changes nothing if a different run holds the lease. */
  async end(state: ArchiveState | undefined): Promise<void> {
    const values = { owner: this.owner }
    await changeItem(archiveStateKey(this.account), {
      set: state,
      remove: ['lease', 'lease_until'],
      when: 'lease = :owner',
      values,
    })
  }
}
