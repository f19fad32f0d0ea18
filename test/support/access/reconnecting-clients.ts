import type { Answer } from '../accounts/account.ts'
import { ItemsInFlight } from '../table/items-in-flight.ts'
import { plantClients } from '../table/plant-clients.ts'
import { type AccessWorld, newAccessWorld } from './access.ts'

export type CrowdResult = {
  statuses: Map<number, number>
  /** 99th percentile of the response times in simulated milliseconds. `longest` is the maximum. */
  p99: number
  longest: number
  /** Number of table requests that conflicted with another request on the same item. */
  conflicts: number
}

type Timed = { result: Answer; ms: number }

function summarize(answers: Timed[], conflicts: number): CrowdResult {
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  const statuses = new Map<number, number>()
  for (const { result } of answers) statuses.set(result.status, (statuses.get(result.status) ?? 0) + 1)
  return { statuses, p99: times[Math.ceil(times.length * 0.99) - 1] ?? 0, longest: times.at(-1) ?? 0, conflicts }
}

/** Simulates the end of an outage: `count` clients start sessions concurrently, and then request one resource concurrently. */
export async function reconnectClients(
  count: number,
  seed: number,
): Promise<{ world: AccessWorld; sessionStarts: CrowdResult; authorizations: CrowdResult }> {
  const world = await newAccessWorld()
  await world.addGateway()
  const clients = await plantClients(world, count)
  const table = new ItemsInFlight(seed)
  try {
    const starts = await table.run(
      clients.map(
        ({ start }) =>
          () =>
            start(),
      ),
    )
    const sessionStarts = summarize(starts, table.conflicts)
    const asks = await table.run(clients.map(({ ask }) => ask))
    return { world, sessionStarts, authorizations: summarize(asks, table.conflicts - sessionStarts.conflicts) }
  } finally {
    table.end()
  }
}
