import { buffer } from 'node:stream/consumers'
import { HttpRequest, HttpResponse } from '@smithy/core/protocols'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { table } from '#shared/table/table.ts'

export type EngineAnswer = { response: unknown }

export type EngineRequest = { operation: string; input: Record<string, unknown>; send: () => Promise<EngineAnswer> }

/** Builds an error response in DynamoDB's wire format, which the SDK parses as on AWS. */
export function engineError(type: string, fields: Record<string, unknown> = {}, statusCode = 400): EngineAnswer {
  const message = `${type} said the table`
  const body = Buffer.from(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message, ...fields }))
  return { response: new HttpResponse({ statusCode, headers: { 'x-amzn-requestid': 'TESTREQUESTID' }, body }) }
}

/** Reads a response completely, because an unread response would occupy one of the client's 50 sockets. */
async function wholeAnswer({ response }: EngineAnswer): Promise<EngineAnswer> {
  const { statusCode, headers, body } = response as HttpResponse
  return { response: new HttpResponse({ statusCode, headers, body: await buffer(body) }) }
}

const name = 'interceptsEngine'

/**
 * Intercepts requests between the table's client and the engine, below the client's retries. Returns a function that stops the
 * interception.
 */
export function interceptEngine(answer: (request: EngineRequest) => Promise<EngineAnswer>): () => void {
  const { middlewareStack } = table()
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const body: unknown = HttpRequest.isInstance(args.request) ? args.request.body : undefined
        const input = fieldsOf(JSON.parse(body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body)))
        const send = async () => wholeAnswer(await next(args))
        const response = await answer({ operation: commandName.replace(/Command$/, ''), input, send })
        return response as Awaited<ReturnType<typeof next>>
      },
    { step: 'deserialize', priority: 'low', name, override: true },
  )
  return () => {
    middlewareStack.remove(name)
  }
}
