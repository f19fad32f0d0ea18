import { liveAlias } from '../live-alias.ts'
import { servicePlace } from './service-host.ts'
import { signedFetch } from './signed-fetch.ts'

const timeoutMs = 5_000

/**
 * Hands an event to a function that runs after the answer of whoever asks. Lambda keeps it, and tries again twice when the
 * function fails. @throws Error when it was not taken
 */
export async function invokeLater(functionName: string, event: unknown): Promise<void> {
  const response = await signedFetch(
    {
      service: 'lambda',
      method: 'POST',
      ...servicePlace('lambda', 'LAMBDA'),
      path: `/2015-03-31/functions/${functionName}/invocations`,
      query: { Qualifier: liveAlias },
      headers: { 'x-amz-invocation-type': 'Event' },
      body: JSON.stringify(event),
    },
    timeoutMs,
  )
  await response.body?.cancel()
}
