import { transport } from '#shared/core/aws/json-service.ts'
import { fieldsOf } from '#shared/core/json/is-object.ts'

/** What an engine answers a request with. */
export type EngineAnswer = Awaited<ReturnType<typeof transport.post>>

/** A request on its way to the engine: the operation, its input as it is on the wire, and how it is asked. */
export type EngineRequest = {
  operation: string
  input: Record<string, unknown>
  ask: () => Promise<EngineAnswer>
}

/** An error as DynamoDB answers it, which the client reads as it would on AWS. */
export const engineError = (type: string, fields: Record<string, unknown> = {}, status = 400): EngineAnswer => ({
  status,
  headers: { 'x-amzn-requestid': 'TESTREQUESTID' },
  text: JSON.stringify({
    __type: `com.amazonaws.dynamodb.v20120810#${type}`,
    message: `${type} said the table`,
    ...fields,
  }),
})

/** Lets `answer` stand between the table's client, with its retries, and the engine. Returns how to take it away again. */
export function standBeforeTable(answer: (request: EngineRequest) => Promise<EngineAnswer>): () => void {
  const { post } = transport
  transport.post = (endpoint, headers, body, patience) => {
    const ask = () => post(endpoint, headers, body, patience)
    const [service = '', operation = ''] = (headers['x-amz-target'] ?? '').split('.')
    return service.startsWith('DynamoDB') ? answer({ operation, input: fieldsOf(JSON.parse(body)), ask }) : ask()
  }
  return () => {
    transport.post = post
  }
}
