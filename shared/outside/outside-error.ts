/**
 * Why an outside service gave no answer: `refused` is an address that is never called, `timeout` a time that ran out
 * before the answer was there whole, `too_large` an answer beyond its limit, `unreachable` everything else of the network.
 */
export type OutsideReason = 'refused' | 'timeout' | 'too_large' | 'unreachable'

/** A call to an outside service without an answer. The sentence names the host and nothing else of the request. */
export class OutsideError extends Error {
  readonly reason: OutsideReason

  constructor(reason: OutsideReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'OutsideError'
    this.reason = reason
  }
}

/** The OutsideError that an error is, or that one of its causes is: clients wrap what their transport throws. */
export function outsideErrorOf(error: unknown): OutsideError | null {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof OutsideError) return at
  return null
}
