/** Times that a service believes: it takes a signature whose time is up to five minutes off. */
const believedMs = 4 * 60_000

const skewed = new Set([
  'InvalidSignatureException',
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
])

/** The clock that requests to a service are signed by: the process's own, until the service says that it is wrong. */
export class ServiceClock {
  private offset = 0

  now(): number {
    return Date.now() + this.offset
  }

  /** True when the service refused a signature for its time, and the next one will have the right time. */
  corrected(errorName: string, date: string | undefined): boolean {
    const serverTime = Date.parse(date ?? '')
    if (!skewed.has(errorName) || Number.isNaN(serverTime) || Math.abs(serverTime - this.now()) < believedMs)
      return false
    this.offset = serverTime - Date.now()
    return true
  }
}
