/** Reason for a failed call: `refused` for an address that must not be called, `unreachable` for any other network failure. */
type OutsideReason = 'refused' | 'timeout' | 'too_large' | 'unreachable'

/** Failed call to an external service, without a response. The message names only the host of the request. */
export class OutsideError extends Error {
  readonly reason: OutsideReason

  constructor(reason: OutsideReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'OutsideError'
    this.reason = reason
  }
}

/** Finds an OutsideError in an error and its causes, because HTTP clients wrap transport errors. */
export function outsideErrorOf(error: unknown): OutsideError | null {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof OutsideError) return at
  return null
}
