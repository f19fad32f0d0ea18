import { dataSettings } from '#infra/settings/data.ts'
import { markdownTable } from '../measure/markdown-table.ts'
import { sum, type Usage, usdOf } from '../measure/usage.ts'
import { logGbOf, logUsdOf } from './log-lines.ts'
import { type PresenceRow, platformUsd } from './presence-costs.ts'
import { prices } from './prices.ts'

const millionFlows = 304
const millionGrants = 5
const { flowRetentionDays, backupDays: keptBackups } = dataSettings
const keptDays = flowRetentionDays.fallback
const backupDays = keptBackups.fallback
const monthDays = 365.25 / 12
/** Maximum table storage of a million flows, in GB. */
const gbPerMillion = 1.1
const vaults = 2

const gb = millionFlows * gbPerMillion * (keptDays / monthDays)
const tableUsd = ({ writeUnits, readUnits }: Usage): number =>
  writeUnits * prices.writeUnit + readUnits * prices.readUnit

/** Measured usage that `docs/costs.md` states: per flow, per authorization, and for presence per month. */
export type Stated = { flow: Usage; grant: Usage; presence: PresenceRow[] }

const dollars = (usd: number): string => Math.round(usd).toLocaleString('en-US')

/** Monthly costs of the fleet, excluding the idle costs of the deployment. */
function fleetParts({ flow, grant }: Stated, presence: PresenceRow) {
  const used = sum([flow, millionFlows * 1e6], [grant, millionGrants * 1e6], [presence.usage, 1])
  return {
    throughput: tableUsd(used),
    rows: [
      [`${millionFlows} M flows, 100 reports per request`, millionFlows * 1e6 * usdOf(flow)],
      [`storage of flows for ${keptDays} days, ${dollars(gb)} GB`, gb * prices.tableGbMonth],
      ['point-in-time recovery of flows', gb * prices.pointInTimeGbMonth],
      ['presence', usdOf(presence.usage) + platformUsd(presence.usage)],
      [`${millionGrants} M authorizations`, millionGrants * 1e6 * usdOf(grant)],
      ['log lines', logUsdOf(used)],
    ] as [string, number][],
    logGb: logGbOf(used),
  }
}

/**
 * Minimum retention in days from which the infrequent-access class is cheaper, given the monthly throughput in USD and millions of flows.
 */
const paysFromDays = (throughput: number, millions: number): number =>
  (monthDays * throughput * (prices.infrequentUnits - 1)) /
  (millions * gbPerMillion * (prices.tableGbMonth - prices.infrequentGbMonth))

export function fleetText(stated: Stated, restUsd: number): string {
  const columns = stated.presence.toReversed().map((presence) => fleetParts(stated, presence))
  const [connected, alone] = columns
  if (!connected || !alone) throw new Error('Presence has two rows.')
  const rows = connected.rows.map(([what], i) => [what, ...columns.map(({ rows }) => dollars(rows[i]?.[1] ?? 0))])
  const total = ({ rows }: typeof connected): number => rows.reduce((usd, [, part]) => usd + part, restUsd)
  const sums = ['**sum**', ...columns.map((column) => `**${dollars(total(column))}**`)]
  const rest = ['the installation at rest', ...columns.map(() => dollars(restUsd))]
  const backups = [
    ['week', 7],
    ['day', 1],
  ] as const
  const copies = (days: number) => (backupDays / days) * vaults
  const days = (throughput: number, millions: number) => Math.ceil(paysFromDays(throughput, millions))
  const perGb = prices.tableGbMonth + prices.pointInTimeGbMonth
  return `## Example fleet

The example fleet has 10,000 clients and 200 gateways. It produces ${millionFlows} million flows per month, which are kept for ${keptDays} days, and ${millionGrants} million
authorizations per month. The table compares its monthly cost with the live channel, and without it (only heartbeats every 30 seconds).

${markdownTable(['USD per month', 'With the live channel', 'Only heartbeats'], [...rows, rest, sums])}
The log lines amount to ${dollars(connected.logGb)} GB per month with the live channel and ${dollars(alone.logGb)} GB without it. The totals exclude calls to the account API, data transfer out of
AWS, and backups.

## Storage

- **Flows**: a million flows use at most ${gbPerMillion} GB in the table. They cost ${(gbPerMillion * perGb).toFixed(2)} USD for each month of retention. This includes ${(gbPerMillion * prices.pointInTimeGbMonth).toFixed(2)} USD for
  point-in-time recovery, which is always enabled.
- **Backups** are made only if you set \`backupVaultArn\`. Each backup is a full copy, which is kept for ${backupDays} days (\`backupDays\`) in both vaults. The table lists their
  monthly cost for the example fleet in USD:

${markdownTable(
  ['`backupEvery`', 'Copies', 'USD per GB in the table', 'Vaults', 'Transfer to another region'],
  backups.map(([every, interval]) => [
    `\`${every}\``,
    dollars(copies(interval)),
    (copies(interval) * prices.backupGbMonth).toFixed(2),
    dollars(gb * copies(interval) * prices.backupGbMonth),
    dollars(gb * (monthDays / interval) * prices.regionGb),
  ]),
)}
- **\`tableClass=infrequent-access\`**: storage costs ${prices.infrequentGbMonth.toFixed(2)} instead of ${prices.tableGbMonth.toFixed(2)} USD per GB-month, but reads and writes cost ${(100 * (prices.infrequentUnits - 1)).toFixed(0)} % more. For flows
  alone, it is cheaper if \`flowRetentionDays\` is at least ${days(tableUsd(stated.flow) * 1e6, 1)}. For the example fleet, the break-even point is ${days(connected.throughput, millionFlows)} days with the live channel,
  and ${days(alone.throughput, millionFlows)} days without it. The cost of point-in-time recovery and backups does not depend on the class.
`
}
