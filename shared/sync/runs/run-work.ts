import type { Author } from '../../commit/commit.ts'
import { clock } from '../../core/clock.ts'
import { put, putIf, writeTogether } from '../../table/write-together.ts'
import { noteSkipped, type Run, type RunSkipped } from './run.ts'
import { type OpenRun, openRunItem, renewLease, runItem } from './run-store.ts'

/**
 * Interval of checkpoints in milliseconds. It is less than half of the permitted minute, because a call may delay the next checkpoint
 * (I4.1(2)).
 */
const saveIntervalMs = 25_000

export class RunWork {
  readonly run: Run
  readonly accountId: string
  readonly sourceId: string
  open: OpenRun
  /** End of the step, in milliseconds since 1970. */
  readonly deadline: number
  private savedAt = clock.monotonic()
  private stagedSkips: Pick<Run, 'skipped' | 'skipped_sample'> | null = null

  constructor(run: Run, open: OpenRun, deadline: number) {
    this.run = run
    this.accountId = run.account_id
    this.sourceId = run.source_id
    this.open = open
    this.deadline = deadline
  }

  /** Author of the run's commits (I4.7): the service, or the requester of a rewind. */
  get author(): Author {
    const { id, subject, scopes } = this.run
    return { accountId: this.accountId, subject, ...(scopes && { scopes }), runId: id }
  }

  skip(skipped: RunSkipped): void {
    noteSkipped(this.stagedSkips ?? this.run, skipped)
  }

  /** Runs `work`. Adds the entries that it skips to the run only at the end, because a later step repeats unfinished work. */
  async collectSkips<T>(work: () => Promise<T>): Promise<T> {
    const { skipped, skipped_sample } = this.run
    this.stagedSkips = structuredClone({ skipped, skipped_sample })
    try {
      const result = await work()
      Object.assign(this.run, this.stagedSkips)
      return result
    } finally {
      this.stagedSkips = null
    }
  }

  /** Field values that the stored item of the run has while this worker holds the lease. Conditional writes compare them. */
  get lease() {
    return { run_id: this.run.id, owner: this.open.owner }
  }

  /**
   * Checks that this worker still holds the lease.
   * @throws LeaseLost
   */
  checkLease(stored: Partial<OpenRun> | undefined): void {
    if (stored?.run_id !== this.run.id || stored.owner !== this.open.owner) throw new LeaseLost()
  }

  private write(open: OpenRun): Promise<'done' | 'conflict'> {
    const progress = putIf(openRunItem(this.accountId, this.sourceId, open), this.lease)
    return writeTogether([progress, put(runItem(this.run))])
  }

  /**
   * Saves the progress and renews the lease.
   * @throws LeaseLost
   */
  async save(): Promise<void> {
    this.open = renewLease(this.open)
    for (let tries = 0; (await this.write(this.open)) === 'conflict'; tries++) {
      // Retries the write, because a collision with another transaction also results in `conflict`.
      if (tries === 3) throw new LeaseLost()
    }
    this.savedAt = clock.monotonic()
  }

  /**
   * Saves the progress and releases the lease, so that the next step resumes here.
   * @throws LeaseLost
   */
  async release(): Promise<void> {
    if ((await this.write({ ...this.open, until: 0 })) === 'conflict') throw new LeaseLost()
  }

  noteSaved(open: OpenRun): void {
    this.open = open
    this.savedAt = clock.monotonic()
  }

  get isSaveDue(): boolean {
    return clock.monotonic() - this.savedAt >= saveIntervalMs || this.isOver
  }

  get isOver(): boolean {
    return clock.monotonic() >= this.deadline
  }

  /**
   * Saves the progress if a checkpoint is due. Callers must be able to resume from the saved progress.
   * @throws StepOver at the end of the step
   */
  async checkpoint(): Promise<void> {
    if (this.isSaveDue) await this.save()
    if (this.isOver) throw new StepOver()
  }
}

/** Thrown when a step runs out of time before the run ends. The next step resumes the run. */
export class StepOver extends Error {
  override readonly name = 'StepOver'
}

/** Thrown when a different worker holds the lease. The step must then stop writing. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** Thrown when the source of a run was disabled, deleted or changed since the run began. */
export class RunCancelled extends Error {
  override readonly name = 'RunCancelled'
}
