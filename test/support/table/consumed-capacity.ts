import { table } from '#shared/table/table.ts'

/** Table usage: requests, sequential round trips, read units and write units. */
export type Consumed = { requests: number; trips: number; reads: number; writes: number }

type Capacity = { CapacityUnits?: number; ReadCapacityUnits?: number; WriteCapacityUnits?: number }
type Answer = { ConsumedCapacity?: Capacity | Capacity[]; Responses?: unknown }

const writing = /^(Put|Update|Delete|TransactWrite|BatchWrite|BatchExecuteStatement)/

let running: Consumed | null = null
/** Length of the longest chain of completed requests. A new request may depend on every request in this chain. */
let returned = 0

/** Returns the capacity units of a response. If all statements failed, AWS bills one unit each but reports none. */
function unitsOf({ ConsumedCapacity, Responses }: Answer): number {
  const statements: { Error?: object }[] = Array.isArray(Responses) ? Responses : []
  if (statements.length > 0 && statements.every(({ Error: error }) => error)) return statements.length
  return [ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
}

/** Adds middleware that measures every request of the table's client. The middleware also runs if a test mocks `send`. */
function install(): void {
  table().middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        // Skips requests outside `measure`, such as those of other test files in this process.
        if (running === null) return next(args)
        const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' as const }
        const trip = returned + 1
        const answer = await next({ ...args, input } as typeof args).catch((error: Error) => {
          // Adds the write that AWS bills for a failed condition, because the error reports no capacity.
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

/** Measures the table usage of `work`, which must run alone in this process. */
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
