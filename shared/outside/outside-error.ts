/** `refused` is an address that is never called; `unreachable` every other failure of the network. */
type OutsideReason = 'refused' | 'timeout' | 'too_large' | 'unreachable'

/** Call to an outside service without a response. The message names only the host of the request. */
export class OutsideError extends Error {
  readonly reason: OutsideReason

  constructor(reason: OutsideReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'OutsideError'
    this.reason = reason
  }
}

/** Finds an OutsideError among an error and its causes, since clients wrap errors of their transport. */
export function outsideErrorOf(error: unknown): OutsideError | null {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof OutsideError) return at
  return null
}
