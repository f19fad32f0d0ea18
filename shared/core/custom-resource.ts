import { clock } from './clock.ts'

/** Request of CloudFormation to a custom resource. */
export type CustomResourceEvent = {
  RequestType: 'Create' | 'Update' | 'Delete'
  ResponseURL: string
  StackId: string
  RequestId: string
  LogicalResourceId: string
  PhysicalResourceId?: string
  /** Properties of the template, all of them text. */
  ResourceProperties: Record<string, string>
}

/** Result of a custom resource. `refused` fails the deployment with the text; otherwise the text is the attribute `Found`. */
export type CustomResourceAnswer = { refused: boolean; text: string }

const tries = 4

/** CloudFormation waits an hour for a missing answer, so failed sends are retried. */
async function send(url: string, answer: object): Promise<void> {
  for (let left = tries - 1; ; left--) {
    // Bytes are sent without a content type, which the signed address requires.
    const body = Buffer.from(JSON.stringify(answer))
    const response = await fetch(url, { method: 'PUT', body, signal: AbortSignal.timeout(5_000) }).catch(() => null)
    if (response?.ok) return
    if (left === 0)
      throw new Error(`CloudFormation did not accept the response (${response?.status ?? 'no connection'}).`)
    await clock.sleep(500)
  }
}

/** Handler of a custom resource that creates nothing, so there is nothing to delete. */
export const customResource =
  (work: (event: CustomResourceEvent) => Promise<CustomResourceAnswer>) =>
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
