import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { handler as listClients } from '#functions/api/clients/list-clients.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { type Consumed, measure } from '#test/support/table/consumed-capacity.ts'
import { plantGroups, plantOnlineClients } from '#test/support/table/plant-listed.ts'
import { median } from '../measure/median.ts'
import { gbMsOf, sum, type Usage, usdOf } from '../measure/usage.ts'

/** Cost of a page: table usage, and CPU in milliseconds. */
type PageCost = Pick<Consumed, 'reads' | 'writes'> & { cpu: number }

export type ClientListRatio = { rows: number; clients: PageCost; groups: PageCost; cpuRatio: number; usdRatio: number }

/** Write units for the request's log entry and the pointer to the entry. */
const entryUnits = 2

type Times = { clients: number; groups: number }

async function timesOf(token: string, rows: number): Promise<Times> {
  const file = fileURLToPath(new URL('./list-process.ts', import.meta.url))
  const child = fork(file, [token, String(rows)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  child.once('exit', (status) => status && child.emit('error', new Error(`A process of lists ended with ${status}.`)))
  const [times] = await once(child, 'message')
  return times
}

const usageOf = ({ cpu, reads, writes }: PageCost): Usage =>
  sum([{ httpRequests: 1, lambdaRequests: 1, lambdaGbMs: gbMsOf(cpu), readUnits: reads, writeUnits: writes }, 1])

/** Compares the client list with the group list. The CPU is the median of several processes, each of which alternates between the lists. */
export async function clientListRatio(rows: number, processes = 3): Promise<ClientListRatio> {
  const account = await newAccount({ limits: { api_capacity: 1_000_000, api_refill_rate: 1_000_000 } })
  await plantGroups(account, rows)
  await plantOnlineClients(account, rows)
  const unitsOf = async (handler: Handler) => {
    const ask = () => account.call(handler, { query: { limit: String(rows) } })
    await ask()
    const { reads } = await measure(ask)
    // Counts only the writes of the log entry, and not those of a rate limit lease.
    return { reads, writes: entryUnits }
  }
  const units = { clients: await unitsOf(listClients), groups: await unitsOf(listGroups) }
  const times: Times[] = []
  for (let i = 0; i < processes; i++) times.push(await timesOf(account.token, rows))
  const cost = (of: keyof Times): PageCost => ({ ...units[of], cpu: median(times.map((each) => each[of])) })
  const [clients, groups] = [cost('clients'), cost('groups')]
  return {
    rows,
    clients,
    groups,
    cpuRatio: median(times.map((each) => each.clients / each.groups)),
    usdRatio: usdOf(usageOf(clients)) / usdOf(usageOf(groups)),
  }
}

export const clientListText = ({ rows, clients, groups, cpuRatio, usdRatio }: ClientListRatio): string =>
  [
    `a page of ${rows} clients takes ${clients.reads} read units and ${clients.cpu.toFixed(1)} ms of CPU,`,
    `one of groups ${groups.reads} and ${groups.cpu.toFixed(1)}:`,
    `${cpuRatio.toFixed(2)} times the CPU, ${usdRatio.toFixed(2)} times the price of the request\n`,
  ].join(' ')
