import type { CustomResourceAnswer } from '../../core/custom-resource.ts'

/** How many functions an account may run at once in a region, and how many of them no function has reserved. */
export type AccountConcurrency = { limit: number; unreserved: number }

export type WantedConcurrency = {
  /** What the functions of the deployment reserve together. */
  reserved: number
  /** Requests a second that the stage lets through, or one route of it where each has its own limit. */
  requestsPerSecond: number
  /** What the deployment has reserved already is among that of the account. */
  deployedBefore: boolean
}

/** Lambda refuses to leave fewer than these to the functions that have nothing reserved. */
const leastUnreserved = 100
/** What a request takes of a function, on an average on the safe side. */
const secondsPerRequest = 0.1

const quota = 'Service Quotas, lambda, L-B99A9384'

/** Holds a deployment's wishes against its account, and says in words what was found. */
export function concurrencyFinding(
  { limit, unreserved }: AccountConcurrency,
  { reserved, requestsPerSecond, deployedBefore }: WantedConcurrency,
): CustomResourceAnswer {
  // The share of a deployment that is there already is not known apart, so that one is held against the limit alone.
  const free = deployedBefore ? limit : unreserved
  const runs = `This account runs ${limit} Lambda functions at once in this region, ${unreserved} of them not reserved.`
  if (reserved > 0 && free - reserved < leastUnreserved) {
    return {
      refused: true,
      text: `${runs} The deployment reserves ${reserved} and Lambda keeps ${leastUnreserved} for all others, so ${reserved + leastUnreserved} must be free: ask for more (${quota}), or choose less by the settings that end with Concurrency; reserveConcurrency=false reserves nothing.`,
    }
  }
  const left = free - reserved
  const bears = Math.floor(left / secondsPerRequest)
  const load = `${left} are left for requests, enough for about ${bears} a second`
  if (bears >= requestsPerSecond) return { refused: false, text: `${runs} ${load}.` }
  return {
    refused: false,
    text: `${runs} TOO SMALL: ${load}, and throttleRate lets ${requestsPerSecond} through: ask for more (${quota}), or throttle earlier.`,
  }
}
