import type { Author } from '../../commit/commit.ts'
import { waiting } from '../../core/work/waiting.ts'
import { writeTogether } from '../../table/write-together.ts'
import { noteSkipped, type Run, type RunSkipped } from './run.ts'
import type { OpenRun } from './run-items.ts'
import { renewed, savingWrites } from './run-store.ts'
import { LeaseLost, StepOver } from './step-end.ts'

/** A place is kept at least this often: half of what the contract allows, since a call can take a while (I4.1(2)). */
const keptEveryMs = 25_000

/** One step of a run: what it knows, and how it keeps its place. */
export class RunWork {
  readonly run: Run
  open: OpenRun
  /** When the step ends, in milliseconds since 1970. */
  readonly deadline: number
  private savedAt = waiting.now()

  constructor(run: Run, open: OpenRun, deadline: number) {
    this.run = run
    this.open = open
    this.deadline = deadline
  }

  get accountId(): string {
    return this.run.account_id
  }

  get sourceId(): string {
    return this.run.source_id
  }

  /** Who commits what the run changes (I4.7): the service, or who asked for a rewind. */
  get author(): Author {
    const { id, subject, scopes } = this.run
    return { accountId: this.accountId, subject, ...(scopes && { scopes }), runId: id }
  }

  private collected: Pick<Run, 'skipped' | 'skipped_sample'> | null = null

  skip(skipped: RunSkipped): void {
    noteSkipped(this.collected ?? this.run, skipped)
  }

  /** What is skipped by work that begins anew when its step dies counts for the run once the work is done. */
  async collectingSkips<T>(work: () => Promise<T>): Promise<T> {
    const { skipped, skipped_sample } = this.run
    this.collected = structuredClone({ skipped, skipped_sample })
    try {
      const result = await work()
      Object.assign(this.run, this.collected)
      return result
    } finally {
      this.collected = null
    }
  }

  /** Keeps the place, and the lease. @throws LeaseLost */
  async save(): Promise<void> {
    this.open = renewed(this.open)
    for (let tries = 0; ; tries++) {
      if ((await writeTogether(savingWrites(this.run, this.open))) === 'done') break
      // A transaction that met another one is lost as well: only a second look tells.
      if (tries === 3) throw new LeaseLost()
    }
    this.savedAt = waiting.now()
  }

  /** Keeps the place, and lets go: whoever comes next goes on. @throws LeaseLost */
  async release(): Promise<void> {
    const free = { ...this.open, until: 0 }
    if ((await writeTogether(savingWrites(this.run, free))) === 'lost') throw new LeaseLost()
  }

  /** What a commit has written of the run is kept. */
  noteSaved(open: OpenRun): void {
    this.open = open
    this.savedAt = waiting.now()
  }

  /** True when it is time to keep the place. */
  get isDue(): boolean {
    return waiting.now() - this.savedAt >= keptEveryMs || this.isOver
  }

  get isOver(): boolean {
    return waiting.now() >= this.deadline
  }

  /** To be called where the run stands at a place that it can go on from. @throws StepOver when the time is over */
  async keepPlace(): Promise<void> {
    if (this.isDue) await this.save()
    if (this.isOver) throw new StepOver()
  }
}
