import { serviceHost } from '../../core/aws/service-host.ts'
import { signedFetch } from '../../core/aws/signed-fetch.ts'
import { liveAlias } from '../../core/live-alias.ts'

/** Longer than a consumer may run. */
const timeoutMs = 90_000

/**
 * Invokes a function, in its version in force whichever the ARN names, and waits for its answer. @throws when it fails
 */
export async function invokeFunction(functionArn: string, event: unknown): Promise<unknown> {
  const [region, name] = [functionArn.split(':')[3], functionArn.split(':')[6]]
  const response = await signedFetch(
    {
      service: 'lambda',
      method: 'POST',
      host: serviceHost('lambda', region),
      path: `/2015-03-31/functions/${name}/invocations`,
      query: { Qualifier: liveAlias },
      body: JSON.stringify(event),
    },
    timeoutMs,
  )
  if (response.headers.has('x-amz-function-error')) throw new Error('The function failed.')
  return response.json()
}
