import { handler as renewClient } from '#functions/api/client-sessions/renew-client-session.ts'
import { handler as renewGateway } from '#functions/api/gateway-sessions/renew-gateway-session.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { call } from '#test/support/accounts/account.ts'
import { type Consumed, measure } from '#test/support/table/consumed-capacity.ts'
import { verdict } from '../measure/verdict.ts'

const channel = { LIVE_URL: 'wss://channel.example.com/live', LIVE_ENDPOINT: 'https://channel.example.com/live' }

/** Measures the table usage of devices that never connect, with and without a live channel (C6). */
export async function unconnectedText(): Promise<string> {
  const world = await newAccessWorld()
  const gateway = await world.addGateway()
  const client = (await world.startSession()).body.data
  const renew = (handler: typeof renewClient, token: string, id: string) => () =>
    call(handler, { method: 'PUT', token, params: { id } })
  const work = {
    'heartbeat of a client': renew(renewClient, world.token.token, client.id),
    'heartbeat of a gateway': renew(renewGateway, gateway.token, gateway.session.id),
  }
  const lines: string[] = []
  for (const [name, one] of Object.entries(work)) {
    const units: string[] = []
    for (const kind of ['without', 'with'] as const) {
      for (const [variable, value] of Object.entries(channel)) {
        if (kind === 'with') process.env[variable] = value
        else delete process.env[variable]
      }
      const runs: Consumed[] = []
      // Takes the minimum of three runs, because a run may renew a rate limit lease.
      for (let run = 0; run < 3; run++) runs.push(await measure(one))
      const minimum = (what: 'reads' | 'writes') => Math.min(...runs.map((run) => run[what]))
      units.push(`${minimum('reads')} read and ${minimum('writes')} write units`)
    }
    const [without = '', withIt = ''] = units
    lines.push(
      `  a ${name} that never connects takes ${without} without the channel and ${withIt} with it\n`,
      verdict('C6', `a ${name} that never connects is as before`, without === withIt),
    )
  }
  for (const variable of Object.keys(channel)) delete process.env[variable]
  return lines.join('')
}
