import type { CustomResourceAnswer, CustomResourceEvent } from '../../core/custom-resource.ts'
import { accountConcurrency } from './account-concurrency.ts'
import { concurrencyFinding } from './concurrency-finding.ts'

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
