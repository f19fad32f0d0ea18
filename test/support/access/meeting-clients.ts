import type { Answer } from '../accounts/account.ts'
import { ItemsInFlight } from '../table/items-in-flight.ts'
import { plantClients } from '../table/plant-clients.ts'
import { type AccessWorld, newAccessWorld } from './access.ts'

/** Outcome of many concurrent requests. */
export type Met = {
  statuses: Map<number, number>
  /** Simulated milliseconds: the 99th percentile and the maximum of the response times. */
  p99: number
  longest: number
  /** Number of table requests that conflicted with another request at an item. */
  conflicts: number
}

type Timed = { result: Answer; ms: number }

function told(answers: Timed[], conflicts: number): Met {
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  const statuses = new Map<number, number>()
  for (const { result } of answers) statuses.set(result.status, (statuses.get(result.status) ?? 0) + 1)
  return { statuses, p99: times[Math.ceil(times.length * 0.99) - 1] ?? 0, longest: times.at(-1) ?? 0, conflicts }
}

/** Lets `count` clients start a session at once, as after an outage, and then all request one resource at once. */
export async function meetingClients(
  count: number,
  seed: number,
): Promise<{ world: AccessWorld; started: Met; asked: Met }> {
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
    const started = told(starts, table.met)
    const asks = await table.run(clients.map(({ ask }) => ask))
    return { world, started, asked: told(asks, table.met - started.conflicts) }
  } finally {
    table.end()
  }
}
