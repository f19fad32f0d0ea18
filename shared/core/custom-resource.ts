import { clock } from './clock.ts'

export type CustomResourceEvent = {
  RequestType: 'Create' | 'Update' | 'Delete'
  ResponseURL: string
  StackId: string
  RequestId: string
  LogicalResourceId: string
  PhysicalResourceId?: string
  ResourceProperties: Record<string, string>
}

/**
 * Result of a custom resource. If `refused`, the deployment fails with the text as the reason. Otherwise the text is the attribute `Found`.
 */
export type CustomResourceResult = { refused: boolean; text: string }

const tries = 4

/** Sends the response with retries, because CloudFormation waits an hour for a missing response. */
async function send(url: string, result: object): Promise<void> {
  for (let retriesLeft = tries - 1; ; retriesLeft--) {
    // Sends the body as bytes, because `fetch` would add a content type to text, which the presigned URL does not permit.
    const body = Buffer.from(JSON.stringify(result))
    const response = await fetch(url, { method: 'PUT', body, signal: AbortSignal.timeout(5_000) }).catch(() => null)
    if (response?.ok) return
    if (retriesLeft === 0)
      throw new Error(`CloudFormation did not accept the response (${response?.status ?? 'no connection'}).`)
    await clock.sleep(500)
  }
}

/** Creates the handler of a custom resource that creates nothing. Its deletion therefore succeeds without any work. */
export const customResource =
  (work: (event: CustomResourceEvent) => Promise<CustomResourceResult>) =>
  async (event: CustomResourceEvent): Promise<void> => {
    const { RequestType, ResponseURL, StackId, RequestId, LogicalResourceId, PhysicalResourceId } = event
    const { refused, text } = RequestType === 'Delete' ? { refused: false, text: '' } : await work(event)
    await send(ResponseURL, {
      Status: refused ? 'FAILED' : 'SUCCESS',
      Reason: text,
      PhysicalResourceId: PhysicalResourceId ?? LogicalResourceId,
      StackId,
      RequestId,
      LogicalResourceId,
      Data: { Found: text },
    })
  }
