import { GetAccountSettingsCommand } from '@aws-sdk/client-lambda'
import { lambda } from '../../core/aws/lambda.ts'
import type { CustomResourceEvent, CustomResourceResult } from '../../core/custom-resource.ts'

/**
 * Checks the AWS account's Lambda quota before a deployment reserves concurrency. If the check itself fails, the deployment is not blocked.
 */
export async function checkConcurrency({
  RequestType,
  ResourceProperties,
}: CustomResourceEvent): Promise<CustomResourceResult> {
  try {
    return concurrencyFinding(await accountConcurrency(), {
      reserved: Number(ResourceProperties.Reserved),
      requestsPerSecond: Number(ResourceProperties.RequestsPerSecond),
      deployedBefore: RequestType === 'Update',
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not an error object'
    return { refused: false, text: `The concurrency quota of this account could not be checked: ${reason}` }
  }
}

async function accountConcurrency(): Promise<AccountConcurrency> {
  const { AccountLimit = {} } = await lambda().send(new GetAccountSettingsCommand({}))
  const { ConcurrentExecutions: limit, UnreservedConcurrentExecutions: unreserved } = AccountLimit
  if (limit === undefined || unreserved === undefined) throw new Error('Lambda reports no limits for this account.')
  return { limit, unreserved }
}

/** Concurrency of an AWS account in a region: the quota for concurrent executions, and the number that no function has reserved. */
export type AccountConcurrency = { limit: number; unreserved: number }

export type WantedConcurrency = {
  /** Sum of the concurrency that the deployment's functions reserve. */
  reserved: number
  /** Requests per second that the API stage accepts, or that one route accepts if routes have their own limits. */
  requestsPerSecond: number
  /** True if the account's reservations already include those of the deployment. */
  deployedBefore: boolean
}

/** Minimum unreserved concurrency that Lambda requires. */
const minUnreserved = 100
/** Conservative estimate of the function time per request in seconds. */
const secondsPerRequest = 0.1

const quota = 'Service Quotas, lambda, L-B99A9384'

/** Refuses a deployment whose reservations exceed the quota. If only the capacity for requests is too low, merely reports it. */
export function concurrencyFinding(
  { limit, unreserved }: AccountConcurrency,
  { reserved, requestsPerSecond, deployedBefore }: WantedConcurrency,
): CustomResourceResult {
  // Compares an existing deployment with the whole limit, because its reservations already reduce `unreserved`.
  const free = deployedBefore ? limit : unreserved
  const runs = `This account can run ${limit} Lambda functions at once in this region, ${unreserved} of them unreserved.`
  if (reserved > 0 && free - reserved < minUnreserved) {
    return {
      refused: true,
      text: `${runs} The deployment reserves ${reserved} and Lambda keeps ${minUnreserved} unreserved, so ${reserved + minUnreserved} must be free. Request a higher quota (${quota}), lower the settings that end with Concurrency, or set reserveConcurrency=false to reserve nothing.`,
    }
  }
  const remainder = free - reserved
  const capacity = Math.floor(remainder / secondsPerRequest)
  const load = `${remainder} remain for requests, enough for about ${capacity} requests per second`
  if (capacity >= requestsPerSecond) return { refused: false, text: `${runs} ${load}.` }
  return {
    refused: false,
    text: `${runs} TOO SMALL: ${load}, but throttleRate accepts ${requestsPerSecond}. Request a higher quota (${quota}), or lower throttleRate.`,
  }
}
