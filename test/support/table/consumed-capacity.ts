import { table } from '#shared/table/table.ts'

/** What a piece of work asked of the table: requests, how often it waited for some of them, and read and write units. */
export type Consumed = { requests: number; trips: number; reads: number; writes: number }

type Capacity = { CapacityUnits?: number; ReadCapacityUnits?: number; WriteCapacityUnits?: number }
type Answer = { ConsumedCapacity?: Capacity | Capacity[]; Responses?: unknown }

const writing = /^(Put|Update|Delete|TransactWrite|BatchWrite|BatchExecuteStatement)/

let running: Consumed | null = null
/** The longest chain of requests that have returned; one that starts now can rest on it. */
let returned = 0

/** Units of an answer. Statements that all failed are billed, but not reported. */
function unitsOf({ ConsumedCapacity, Responses }: Answer): number {
  const statements: { Error?: object }[] = Array.isArray(Responses) ? Responses : []
  if (statements.length > 0 && statements.every(({ Error: error }) => error)) return statements.length
  return [ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
}

/** Measures every request of the table's client while something runs, beneath what a test puts in the place of `send`. */
function install(): void {
  table().middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        // Other files of this process ask as the service asks.
        if (running === null) return next(args)
        const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' as const }
        const trip = returned + 1
        const answer = await next({ ...args, input } as typeof args).catch((error: Error) => {
          // AWS bills a write whose condition does not hold; its error does not tell so.
          if (running && error.name === 'ConditionalCheckFailedException') {
            running.requests++
            running.writes++
          }
          throw error
        })
        returned = Math.max(returned, trip)
        if (running) {
          running.requests++
          running.trips = Math.max(running.trips, trip)
          running[writing.test(commandName) ? 'writes' : 'reads'] += unitsOf(answer.output as Answer)
        }
        return answer
      },
    { step: 'initialize', name: 'measuresCapacity', override: true },
  )
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
