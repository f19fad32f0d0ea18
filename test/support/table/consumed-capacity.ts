import { table } from '#shared/table/client.ts'
import type { TableCommand } from '#shared/table/commands.ts'

/** What a piece of work asked of the table: requests, how often it waited for some of them, and read and write units. */
export type Consumed = { requests: number; trips: number; reads: number; writes: number }

type Client = ReturnType<typeof table>
type Capacity = { CapacityUnits?: number; ReadCapacityUnits?: number; WriteCapacityUnits?: number }

const writing = /^(Put|Update|Delete|TransactWrite|BatchWrite|BatchExecuteStatement)/

let running: Consumed | null = null
/** The longest chain of requests that have returned; one that starts now can rest on it. */
let returned = 0
let installed = false

function install(): void {
  if (installed) return
  installed = true
  // Beneath whatever a test puts in the place of a client's own method.
  const client: Client = Object.getPrototypeOf(table())
  const send = client.send
  client.send = async function measured<Output>(this: Client, command: TableCommand<object, Output>) {
    // Other files of this process ask as the service asks.
    if (running === null) return send.call(this, command) as Promise<Output>
    Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' })
    const trip = returned + 1
    const answer = await send.call(this, command).catch((error: Error) => {
      // AWS bills a write whose condition does not hold; its error does not tell so.
      if (running && error.name === 'ConditionalCheckFailedException') {
        running.requests++
        running.writes++
      }
      throw error
    })
    returned = Math.max(returned, trip)
    const { ConsumedCapacity, Responses } = answer as {
      ConsumedCapacity?: Capacity | Capacity[]
      Responses?: unknown
    }
    const statements: { Error?: object }[] = Array.isArray(Responses) ? Responses : []
    if (running) {
      running.requests++
      running.trips = Math.max(running.trips, trip)
      // Of statements that all failed it is not told either.
      const failed = statements.length > 0 && statements.every(({ Error: error }) => error)
      const units = failed
        ? statements.length
        : [ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
      const kind = writing.test(command.operation) ? 'writes' : 'reads'
      running[kind] += units
    }
    return answer as Output
  }
}

/** Measures work that nothing runs beside. */
export async function measure(work: () => Promise<unknown>): Promise<Consumed> {
  install()
  const consumed: Consumed = { requests: 0, trips: 0, reads: 0, writes: 0 }
  returned = 0
  running = consumed
  try {
    await work()
  } finally {
    running = null
  }
  return consumed
}
