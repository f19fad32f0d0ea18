import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { listen } from '../api/open-server.ts'
import { isOfPage, refusePage } from './of-page.ts'

const agent = new Agent({ keepAlive: true })
const target = 'x-amz-target'

/** Asks the engine what a caller asked, or something else in its place: the engine verifies no signature. */
function ask(engine: string, { method, url, headers }: IncomingMessage, body: Buffer, other: object = {}) {
  const asking = request(engine, {
    agent,
    method,
    path: url,
    headers: { ...headers, ...other, 'content-length': body.length },
  })
  const answer = new Promise<IncomingMessage>((resolve, reject) =>
    asking.once('response', resolve).once('error', reject),
  )
  asking.end(body)
  return answer
}

/**
 * The statements of a batch are independent of each other, and the engine waits for the disk after each. As one transaction they
 * wait once: all of them are done or, where the condition of one does not hold, none. Answers whether they are.
 */
async function transact(engine: string, incoming: IncomingMessage, batch: Buffer): Promise<unknown[] | null> {
  const { Statements, ReturnConsumedCapacity } = fieldsOf(JSON.parse(batch.toString()))
  // A transaction costs twice as much, and what is asked for is the cost of a batch.
  if (ReturnConsumedCapacity !== undefined || !Array.isArray(Statements) || Statements.length < 2) return null
  const body = Buffer.from(JSON.stringify({ TransactStatements: Statements }))
  const answer = await ask(engine, incoming, body, { [target]: 'DynamoDB_20120810.ExecuteTransaction' })
  answer.resume()
  return answer.statusCode === 200 ? Statements : null
}

/** Stands before the DynamoDB engine: it keeps pages away, and lets the engine wait for the disk once for a batch. */
export async function startTableFront(engine: string): Promise<{ endpoint: string; server: Server }> {
  const server = createServer(async (incoming, response) => {
    if (isOfPage(incoming)) return refusePage(response)
    try {
      const body = await buffer(incoming)
      const isBatch = incoming.headers[target] === 'DynamoDB_20120810.BatchExecuteStatement'
      const done = isBatch && (await transact(engine, incoming, body))
      if (done) {
        response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' })
        response.end(JSON.stringify({ Responses: done.map(() => ({})) }))
        return
      }
      const answer = await ask(engine, incoming, body)
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    } catch {
      // The caller tries again, as after any connection that is lost.
      response.destroy()
    }
  })
  server.keepAliveTimeout = 60_000
  return { endpoint: `http://127.0.0.1:${await listen(server, 0)}`, server }
}
