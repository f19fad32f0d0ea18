import { newAccessWorld } from '#test/support/access/access.ts'
import { type CrowdResult, reconnectClients } from '#test/support/access/reconnecting-clients.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantClients } from '#test/support/table/plant-clients.ts'

/**
 * Returns the write units of a grant, as the minimum of three measurements. Some grants also renew a lease or store a marker for the
 * actor's email.
 */
async function unitsOfGrant(): Promise<number> {
  const world = await newAccessWorld()
  await world.addGateway()
  const clients = await plantClients(world, 3)
  const units: number[] = []
  for (const { start, ask } of clients) {
    await start()
    units.push((await measure(ask)).writes)
  }
  return Math.min(...units)
}

/** Upper limit for the 99th percentile of the response times, in simulated milliseconds. */
const longestWait = 3_000

function line(what: string, { statuses, p99, longest, conflicts }: CrowdResult): string {
  const refused = [...statuses].reduce((sum, [status, count]) => (status >= 500 ? sum + count : sum), 0)
  // Sets the exit code on failure, because the bench has no assertions.
  if (refused > 0 || p99 >= longestWait) process.exitCode = 1
  const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
  const times = `p99 ${Math.round(p99)} ms, longest ${Math.round(longest)} ms of simulated time`
  return `  ${what}: ${counts}; ${times}; ${conflicts} conflicts, ${refused} failed\n`
}

/** Measures many concurrent clients on a table where concurrent writes to the same item conflict. */
export async function contentionTable(count: number): Promise<string> {
  const { sessionStarts, authorizations } = await reconnectClients(count, 1)
  return [
    `  a grant: ${await unitsOfGrant()} write units\n`,
    line(`${count} session starts`, sessionStarts),
    line(`${count} grants of one resource`, authorizations),
  ].join('')
}
