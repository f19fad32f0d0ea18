import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { currentAlias } from '../current-alias.ts'
import { awsClient } from './clients.ts'

export const lambda = (): LambdaClient => awsClient(LambdaClient)

/** Invokes a function asynchronously. Lambda retries a failed run twice. @throws Error when Lambda did not accept the event */
export async function invokeLater(FunctionName: string, event: unknown): Promise<void> {
  const Payload = JSON.stringify(event)
  await lambda().send(new InvokeCommand({ FunctionName, Qualifier: currentAlias, InvocationType: 'Event', Payload }))
}

/** Timeout in milliseconds, above the longest run of a consumer. */
const responseTimeoutMs = 90_000

/** Invokes the current version of a function and returns its response. @throws Error when the function fails */
export async function invokeFunction(functionArn: string, event: unknown): Promise<unknown> {
  const FunctionName = functionArn.split(':')[6]
  const { FunctionError, Payload } = await lambda().send(
    new InvokeCommand({ FunctionName, Qualifier: currentAlias, Payload: JSON.stringify(event) }),
    { requestTimeout: responseTimeoutMs },
  )
  if (FunctionError) throw new Error('The function failed.')
  return JSON.parse(Payload?.transformToString() ?? 'null')
}
