import { handler as listClients } from '#functions/api/clients/list-clients.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { toEvent } from '#test/support/accounts/account.ts'
import { measureCpu } from '#test/support/largest/cpu-cost.ts'
import { median } from '../measure/median.ts'

// Runs in a separate process that only serves lists, so that the reader of the responses does not affect the measurement.
const [token = '', rows = ''] = process.argv.slice(2)
process.stdout.write = () => true

const [calls, warmUps, rounds] = [5, 12, 24]
const handlers: Record<'clients' | 'groups', Handler> = { clients: listClients, groups: listGroups }
const used: Record<keyof typeof handlers, number[]> = { clients: [], groups: [] }

async function ask(handler: Handler): Promise<void> {
  const { statusCode, body } = await handler(toEvent({ token, query: { limit: rows } }))
  if (statusCode !== 200) throw new Error(`A list was refused: ${body}`)
}

for (let round = -warmUps; round < rounds; round++) {
  const order = round % 2 === 0 ? (['clients', 'groups'] as const) : (['groups', 'clients'] as const)
  for (const name of order) {
    const cpu = await measureCpu(async () => {
      for (let i = 0; i < calls; i++) await ask(handlers[name])
    })
    if (round >= 0) used[name].push(cpu / calls / 1_000)
  }
}
process.send?.({ clients: median(used.clients), groups: median(used.groups) })
process.disconnect?.()
