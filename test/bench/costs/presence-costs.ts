import { randomUUID } from 'node:crypto'
import { handler as renewClient } from '#functions/api/client-sessions/renew-client-session.ts'
import { handler as renewGateway } from '#functions/api/gateway-sessions/renew-gateway-session.ts'
import { handler as onConnect } from '#functions/live/connect.ts'
import { handler as onMessage } from '#functions/live/default.ts'
import { handler as onDisconnect } from '#functions/live/disconnect.ts'
import type { LiveEvent } from '#shared/live/live-handler.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { call } from '#test/support/accounts/account.ts'
import { connectedSeconds, keepaliveSeconds } from '../../../docs/examples/intervals.ts'
import { markdownTable } from '../measure/markdown-table.ts'
import { perRun, sum, type Usage, usageOf, usdOf } from '../measure/usage.ts'
import { logGbOf, logUsdOf } from './log-lines.ts'
import { prices } from './prices.ts'

const clients = 10_000
const gateways = 200
const monthSeconds = (365.25 * 86_400) / 12
const heartbeatSeconds = 30
/** Seconds after which API Gateway closes a connection. */
const connectionSeconds = 2 * 3_600

const runs = 12

type Presence = Usage & { messages: number; connectionMinutes: number }

/**
 * Measures one heartbeat, handshake, keepalive and disconnect, each including a rate limit lease. Devices send too few requests to hold
 * units of the limit.
 */
async function presenceUsages() {
  const world = await newAccessWorld()
  const gateway = await world.addGateway()
  const client = (await world.startSession()).body.data
  const requestContext = () => ({ connectionId, requestId: randomUUID(), identity: { sourceIp: '203.0.113.7' } })
  let connectionId = ''
  const handshake = (token: string, session_id: string): LiveEvent => ({
    headers: { Authorization: `Bearer ${token}` },
    queryStringParameters: { session_id },
    requestContext: requestContext(),
    isBase64Encoded: false,
  })
  const sent = (body: string): LiveEvent => ({ body, requestContext: requestContext(), isBase64Encoded: false })
  let since: string | undefined
  const work = {
    clientHeartbeat: () => call(renewClient, { method: 'PUT', token: world.token.token, params: { id: client.id } }),
    gatewayHeartbeat: async () => {
      const session = { id: gateway.session.id, body: since === undefined ? undefined : { session: { since } } }
      const { body } = session
      const answer = await call(renewGateway, { method: 'PUT', token: gateway.token, params: { id: session.id }, body })
      since = answer.body.data.since
      return answer
    },
    connect: () => {
      connectionId = randomUUID()
      return onConnect(handshake(world.token.token, client.id))
    },
    keepalive: () => onMessage(sent('{"type":"keepalive"}')),
    disconnect: () => onDisconnect(sent('')),
  }
  const measured = Object.fromEntries(Object.keys(work).map((name) => [name, [] as Usage[]])) as Record<
    keyof typeof work,
    Usage[]
  >
  for (let run = -3; run < runs; run++) {
    for (const [name, one] of Object.entries(work) as [keyof typeof work, () => Promise<unknown>][]) {
      const usage = sum([await usageOf(one), 1], [{ lambdaRequests: 1 }, 1])
      // Excludes the first runs, which include compilation.
      if (run >= 0) measured[name].push(usage)
    }
  }
  return Object.fromEntries(Object.entries(measured).map(([name, usages]) => [name, perRun(usages)])) as Record<
    keyof typeof work,
    Usage
  >
}

export type PresenceRow = { name: string; usage: Presence }

const asHttp = (usage: Usage): Usage => ({ ...usage, httpRequests: 1 })

/** Returns the monthly usage of 10,000 clients and 200 gateways that only stay online. Compares heartbeats alone with the live channel. */
export async function presenceRows(): Promise<PresenceRow[]> {
  const usages = await presenceUsages()
  const [clientHeartbeat, gatewayHeartbeat] = [asHttp(usages.clientHeartbeat), asHttp(usages.gatewayHeartbeat)]
  const every = (devices: number, seconds: number): number => (devices * monthSeconds) / seconds
  const alone = sum(
    [clientHeartbeat, every(clients, heartbeatSeconds)],
    [gatewayHeartbeat, every(gateways, heartbeatSeconds)],
  )
  const devices = clients + gateways
  const keepalives = every(devices, keepaliveSeconds)
  const connections = every(devices, connectionSeconds)
  const connected = sum(
    [clientHeartbeat, every(clients, connectedSeconds) + every(clients, connectionSeconds)],
    // Adds one heartbeat for each connection to a gateway's regular heartbeats.
    [gatewayHeartbeat, every(gateways, heartbeatSeconds) + every(gateways, connectionSeconds)],
    [usages.keepalive, keepalives],
    [usages.connect, connections],
    [usages.disconnect, connections],
  )
  return [
    { name: 'heartbeats alone', usage: { ...alone, messages: 0, connectionMinutes: 0 } },
    {
      name: 'with the live channel',
      // Counts two messages per connection, because handshakes and disconnects are billed as messages.
      usage: { ...connected, messages: keepalives + 2 * connections, connectionMinutes: every(devices, 60) },
    },
  ]
}

/** Returns API Gateway's charges for messages and connection minutes of the live channel, in USD. */
export const platformUsd = ({ messages, connectionMinutes }: Presence): number =>
  messages * prices.liveMessage + connectionMinutes * prices.connectionMinute

const presenceUsd = (usage: Presence): number => usdOf(usage) + platformUsd(usage) + logUsdOf(usage)

const heads = [
  'HTTP requests',
  'Messages',
  'Connection minutes',
  'Lambda requests',
  'Lambda GB-s',
  'Write units',
  'Read units',
  'Log GB',
]

const millions = (value: number): string => (value / 1e6).toLocaleString('en-US', { maximumSignificantDigits: 3 })

/** Converts to thousands and rounds to two significant digits, because CPU figures depend on the machine. */
const round = (gbMs: number): number => Number((gbMs / 1e3).toPrecision(2))

function presenceTable(rows: PresenceRow[]): string {
  const cells = rows.map(({ name, usage }) => {
    const { httpRequests, messages, connectionMinutes, lambdaRequests, lambdaGbMs, writeUnits, readUnits } = usage
    const cpu = round(lambdaGbMs)
    const units = [httpRequests, messages, connectionMinutes, lambdaRequests, cpu, writeUnits, readUnits]
    const logGb = logGbOf(usage).toLocaleString('en-US', { maximumSignificantDigits: 3 })
    return [
      name,
      ...units.map(millions),
      logGb,
      presenceUsd(usage).toLocaleString('en-US', { maximumSignificantDigits: 2 }),
    ]
  })
  return markdownTable(['Millions per month', ...heads, 'USD'], cells)
}

/** Factor by which the live channel reduces the cost of presence. */
export const presenceRatio = ([alone, connected]: PresenceRow[]): number =>
  alone && connected ? presenceUsd(alone.usage) / presenceUsd(connected.usage) : Number.NaN

export const presenceText = (
  rows: PresenceRow[],
): string => `The table lists the monthly usage and cost of 10,000 clients and 200 gateways that are online and send no other requests. In the first row, they use
only heartbeats every 30 seconds. In the second row, they also use the live channel, which reduces the cost to 1/${presenceRatio(rows).toFixed(1)}.

${presenceTable(rows)}
- With the live channel, a client sends a keepalive every five minutes and a heartbeat every 30 minutes. A gateway sends the same heartbeats as
  without the live channel. Each device reconnects every two hours, and then sends one additional heartbeat.
- The usage of Lambda and DynamoDB is measured, and includes the rate limit. The table lists the messages and connection minutes that API Gateway
  bills. API Gateway bills handshakes and disconnects as messages, but does not bill ping frames.
- The figures include the log lines for heartbeats and for the functions of the live channel. The access log of the live channel is turned off
  (\`liveAccessLog\`).
`

/** Parses the presence table of `docs/costs.md`. */
export const statedPresence = (text: string): PresenceRow[] =>
  [...text.matchAll(/^\| (heartbeats alone|with the live channel) .*$/gm)].map(([line, name = '']) => {
    const cells = line.split('|').slice(2)
    const at = (i: number): number => Number(cells[i]?.trim().replaceAll(',', '')) * 1e6
    return {
      name,
      usage: {
        httpRequests: at(0),
        messages: at(1),
        connectionMinutes: at(2),
        lambdaRequests: at(3),
        lambdaGbMs: at(4) * 1e3,
        writeUnits: at(5),
        readUnits: at(6),
        payloadUnits: 0,
        objectPuts: 0,
        signatures: 0,
      },
    }
  })
