import { newAccessWorld } from '#test/support/access/access.ts'
import { type Met, meetingClients } from '#test/support/access/meeting-clients.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantClients } from '#test/support/table/plant-clients.ts'

/** Write units of a grant: the least of three, as another may have renewed a lease or noted an email. */
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

/** The longest that one of a hundred may wait, in milliseconds of simulated time. */
const longestWait = 3_000

function line(what: string, { statuses, p99, longest, conflicts }: Met): string {
  const refused = [...statuses].reduce((sum, [status, count]) => (status >= 500 ? sum + count : sum), 0)
  // Who measures more clients than the tests do learns of a refusal by the exit code.
  if (refused > 0 || p99 >= longestWait) process.exitCode = 1
  const told = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
  const times = `p99 ${Math.round(p99)} ms, longest ${Math.round(longest)} ms of simulated time`
  return `  ${what}: ${told}; ${times}; conflicts met ${conflicts}, lost ${refused}\n`
}

/** Many clients at once, on a table whose items conflict while they are in flight. */
export async function meetingTable(count: number): Promise<string> {
  const { started, asked } = await meetingClients(count, 1)
  return [
    `  a grant: ${await unitsOfGrant()} write units\n`,
    line(`${count} session starts`, started),
    line(`${count} grants of one resource`, asked),
  ].join('')
}
