import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { listen } from '../api/open-server.ts'
import { isFromBrowser, refuseBrowser } from './browser-requests.ts'

const agent = new Agent({ keepAlive: true })
const target = 'x-amz-target'

/** Forwards a request to the engine. The body and headers can be replaced, because the engine does not verify signatures. */
function forward(engine: string, { method, url, headers }: IncomingMessage, body: Buffer, replacements: object = {}) {
  const outgoing = request(engine, {
    agent,
    method,
    path: url,
    headers: { ...headers, ...replacements, 'content-length': body.length },
  })
  const engineResponse = new Promise<IncomingMessage>((resolve, reject) =>
    outgoing.once('response', resolve).once('error', reject),
  )
  outgoing.end(body)
  return engineResponse
}

/**
 * Runs the statements of a batch as one transaction, because the engine would otherwise sync the disk after each statement. Returns the
 * statements. Returns null if nothing was written, because a condition failed or the batch is not eligible.
 */
async function transact(engine: string, incoming: IncomingMessage, batch: Buffer): Promise<unknown[] | null> {
  const { Statements, ReturnConsumedCapacity } = fieldsOf(JSON.parse(batch.toString()))
  // Excludes batches that report capacity, because a transaction consumes twice as much.
  if (ReturnConsumedCapacity !== undefined || !Array.isArray(Statements) || Statements.length < 2) return null
  const body = Buffer.from(JSON.stringify({ TransactStatements: Statements }))
  const engineResponse = await forward(engine, incoming, body, { [target]: 'DynamoDB_20120810.ExecuteTransaction' })
  engineResponse.resume()
  return engineResponse.statusCode === 200 ? Statements : null
}

/** Starts a proxy for the DynamoDB engine. The proxy refuses browser pages, and runs each batch with a single disk sync. */
export async function startTableProxy(engine: string): Promise<{ endpoint: string; server: Server }> {
  const server = createServer(async (incoming, response) => {
    if (isFromBrowser(incoming)) return refuseBrowser(response)
    try {
      const body = await buffer(incoming)
      const isBatch = incoming.headers[target] === 'DynamoDB_20120810.BatchExecuteStatement'
      const done = isBatch && (await transact(engine, incoming, body))
      if (done) {
        response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' })
        response.end(JSON.stringify({ Responses: done.map(() => ({})) }))
        return
      }
      const engineResponse = await forward(engine, incoming, body)
      response.writeHead(engineResponse.statusCode ?? 502, engineResponse.headers)
      engineResponse.pipe(response)
    } catch {
      // Closes the connection, so that SDK clients retry.
      response.destroy()
    }
  })
  server.keepAliveTimeout = 60_000
  return { endpoint: `http://127.0.0.1:${await listen(server, 0)}`, server }
}
