import { GetAccountSettingsCommand } from '@aws-sdk/client-lambda'
import { lambda } from '../../core/aws/lambda.ts'
import type { CustomResourceAnswer, CustomResourceEvent } from '../../core/custom-resource.ts'

/** Looks at the account before anything is reserved in it. What cannot be told stands in nobody's way. */
export async function checkConcurrency({
  RequestType,
  ResourceProperties,
}: CustomResourceEvent): Promise<CustomResourceAnswer> {
  try {
    return concurrencyFinding(await accountConcurrency(), {
      reserved: Number(ResourceProperties.Reserved),
      requestsPerSecond: Number(ResourceProperties.RequestsPerSecond),
      deployedBefore: RequestType === 'Update',
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not an error object'
    return { refused: false, text: `How many functions this account can run at once could not be told: ${reason}` }
  }
}

/** Limits of this account in this region, as Lambda reports them. */
async function accountConcurrency(): Promise<AccountConcurrency> {
  const { AccountLimit = {} } = await lambda().send(new GetAccountSettingsCommand({}))
  const { ConcurrentExecutions: limit, UnreservedConcurrentExecutions: unreserved } = AccountLimit
  if (limit === undefined || unreserved === undefined) throw new Error('Lambda reports no limits of this account.')
  return { limit, unreserved }
}

/** How many functions an account may run at once in a region, and how many of them no function has reserved. */
export type AccountConcurrency = { limit: number; unreserved: number }

export type WantedConcurrency = {
  /** Sum of the concurrency that the functions of the deployment reserve. */
  reserved: number
  /** Requests a second that the stage lets through, or one route of it where each has its own limit. */
  requestsPerSecond: number
  /** True where the reservations of the account include those of the deployment. */
  deployedBefore: boolean
}

/** Lambda refuses to leave fewer than these to the functions that have nothing reserved. */
const leastUnreserved = 100
/** Seconds of a function per request, an average on the safe side. */
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
