/** Thrown when the archive differs from the logs. The flush of the account stops, and nothing is published (R3.3). */
export class ArchiveMismatch extends Error {
  /** Path of an object, log id of an entry, or stream and hour. */
  readonly at: string

  constructor(at: string) {
    super(`The archive differs from the logs at ${at}.`)
    this.at = at
  }
}

/** Thrown when a file has other erased rows than sealed manifests list (R12.4). */
export class UnlistedErasure extends ArchiveMismatch {}
