/** The step is over, and its run is not: the next step goes on from where it stands. */
export class StepOver extends Error {
  override readonly name = 'StepOver'
  /** When it is of use to go on, in milliseconds since 1970. */
  readonly resumeAt: number | null

  constructor(resumeAt: number | null = null) {
    super('The step is over.')
    this.resumeAt = resumeAt
  }
}

/** Somebody else works on the run: this step has nothing more to write. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** What the run is of was disabled, deleted or changed since it began. */
export class RunCancelled extends Error {
  override readonly name = 'RunCancelled'
}
