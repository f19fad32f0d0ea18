import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { groupStatements, type WriteTogether } from './group-statements.ts'
import { isOfPage, refusePage } from './of-page.ts'

const agent = new Agent({ keepAlive: true })
const batch = 'DynamoDB_20120810.BatchExecuteStatement'
const transaction = 'DynamoDB_20120810.ExecuteTransaction'

/** Asks the engine what a caller asked, or something else in its place: the engine verifies no signature. */
function ask(engine: URL, { method, url, headers }: IncomingMessage, changed?: { target: string; body: string }) {
  const own = changed && {
    'x-amz-target': changed.target,
    'content-length': String(Buffer.byteLength(changed.body)),
  }
  const asking = request(engine, { agent, method, path: url, headers: { ...headers, ...own } })
  const answer = new Promise<IncomingMessage>((resolve, reject) =>
    asking.once('response', resolve).once('error', reject),
  )
  if (changed) asking.end(changed.body)
  return { asking, answer }
}

function pass(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers)
  answer.pipe(response)
}

/**
 * The statements of a batch are independent of each other, and the engine waits for the disk after each. Together they
 * wait once: as one transaction, in which all of them are done or, where the condition of one does not hold, none. Then
 * they go to the engine one by one, as they came.
 */
async function execute(
  engine: URL,
  write: WriteTogether<IncomingMessage>,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const wanted = await json(incoming)
  const { Statements = [], ReturnConsumedCapacity } = fieldsOf(wanted)
  // A transaction costs twice as much, and what is asked for is the cost of a batch.
  const isGrouped = ReturnConsumedCapacity === undefined && Array.isArray(Statements) && Statements.length > 1
  if (isGrouped && (await write(Statements, incoming))) {
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' })
    response.end(JSON.stringify({ Responses: Statements.map(() => ({})) }))
    return
  }
  pass(await ask(engine, incoming, { target: batch, body: JSON.stringify(wanted) }).answer, response)
}

/** True when the transaction is done, false when nothing of it is. */
async function transact(engine: URL, statements: unknown[], like: IncomingMessage): Promise<boolean> {
  const body = JSON.stringify({ TransactStatements: statements })
  const answer = await ask(engine, like, { target: transaction, body }).answer
  answer.resume()
  return answer.statusCode === 200
}

async function forward(engine: URL, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { asking, answer } = ask(engine, incoming)
  incoming.pipe(asking)
  pass(await answer, response)
}

/** Stands before the DynamoDB engine and lets it wait for the disk once for the statements of several requests. */
export async function startTableFront(engine: string): Promise<{ endpoint: string; server: Server }> {
  const url = new URL(engine)
  const write = groupStatements<IncomingMessage>((statements, like) => transact(url, statements, like))
  const server = createServer((incoming, response) => {
    if (isOfPage(incoming)) return refusePage(response)
    const isBatch = incoming.headers['x-amz-target'] === batch
    const answered = isBatch ? execute(url, write, incoming, response) : forward(url, incoming, response)
    // The caller tries again, as after any connection that is lost.
    answered.catch(() => response.destroy())
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}
