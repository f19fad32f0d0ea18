import { PlanWriter } from '../../plans/plan-store.ts'
import type { Losses, Planned } from '../../plans/planned.ts'
import { type CountsByObject, countChange, countsOf, directoryObjects } from '../../runs/run.ts'
import type { RunWork } from '../../runs/run-work.ts'
import { changeOf, type DirectoryEntries, type DirectorySection, directorySections } from './directory-plan.ts'

/** What a plan is written on: its sections, what they change, and what the directory would lose by that. */
export class PlanSheet {
  readonly losses = {
    identities: { lost: 0, owned: 0, named: 0 },
    groups: { lost: 0, owned: 0 },
    memberships: { lost: 0, owned: 0 },
  } satisfies Losses
  private readonly work: RunWork
  private readonly writer: PlanWriter
  private readonly counts: CountsByObject = countsOf(directoryObjects)

  constructor(work: RunWork) {
    this.work = work
    this.writer = new PlanWriter(work.run, directorySections)
  }

  async add<S extends DirectorySection>(section: S, entry: DirectoryEntries[S]): Promise<void> {
    // First: who has lost the lease writes no page of the plan that another makes.
    if (this.work.isDue) await this.work.save()
    await this.writer.add(section, entry)
    const { object, change } = changeOf(section, entry)
    countChange(this.counts, object, change)
  }

  async end(): Promise<Planned> {
    return { sections: await this.writer.end(), counts: this.counts, losses: this.losses }
  }
}
