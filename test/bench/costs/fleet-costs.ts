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
/** GB in the table that a million flows are, at most. */
const gbPerMillion = 1.1
const vaults = 2

const gb = millionFlows * gbPerMillion * (keptDays / monthDays)
const tableUsd = ({ writeUnits, readUnits }: Usage): number =>
  writeUnits * prices.writeUnit + readUnits * prices.readUnit

/** Measured units that `docs/costs.md` states: of a flow, an authorization, and presence in a month. */
export type Stated = { flow: Usage; grant: Usage; presence: PresenceRow[] }

const dollars = (usd: number): string => Math.round(usd).toLocaleString('en-US')

/** Monthly costs of the fleet, without those of its install at rest. */
function fleetParts({ flow, grant }: Stated, presence: PresenceRow) {
  const used = sum([flow, millionFlows * 1e6], [grant, millionGrants * 1e6], [presence.usage, 1])
  return {
    throughput: tableUsd(used),
    rows: [
      [`${millionFlows} M flows, 100 reports a request`, millionFlows * 1e6 * usdOf(flow)],
      [`their storage for ${keptDays} days, ${dollars(gb)} GB`, gb * prices.tableGbMonth],
      ['point-in-time recovery of them', gb * prices.pointInTimeGbMonth],
      ['presence', usdOf(presence.usage) + platformUsd(presence.usage)],
      [`${millionGrants} M authorizations`, millionGrants * 1e6 * usdOf(grant)],
      ['log lines', logUsdOf(used)],
    ] as [string, number][],
    logGb: logGbOf(used),
  }
}

/** Days of retention from which on the class for infrequent access is cheaper, for table units and flows of a month. */
const paysFromDays = (throughput: number, millions: number): number =>
  (monthDays * throughput * (prices.infrequentUnits - 1)) /
  (millions * gbPerMillion * (prices.tableGbMonth - prices.infrequentGbMonth))

/** Monthly costs of the example fleet, and of its storage. */
export function fleetText(stated: Stated, restUsd: number): string {
  const columns = stated.presence.toReversed().map((presence) => fleetParts(stated, presence))
  const [connected, alone] = columns
  if (!connected || !alone) throw new Error('Presence has two rows.')
  const rows = connected.rows.map(([what], i) => [what, ...columns.map(({ rows }) => dollars(rows[i]?.[1] ?? 0))])
  const total = ({ rows }: typeof connected): number => rows.reduce((usd, [, part]) => usd + part, restUsd)
  const sums = ['**sum**', ...columns.map((column) => `**${dollars(total(column))}**`)]
  const rest = ['the install at rest', ...columns.map(() => dollars(restUsd))]
  const backups = [
    ['week', 7],
    ['day', 1],
  ] as const
  const copies = (days: number) => (backupDays / days) * vaults
  const days = (throughput: number, millions: number) => Math.ceil(paysFromDays(throughput, millions))
  const perGb = prices.tableGbMonth + prices.pointInTimeGbMonth
  return `## Example fleet

10,000 clients, 200 gateways, ${millionFlows} million flows a month that are kept for ${keptDays} days, and ${millionGrants} million authorizations a month. USD a month, with
the live channel and by heartbeats every 30 seconds alone:

${markdownTable(['A month', 'With the channel', 'Heartbeats alone'], [...rows, rest, sums])}
The log lines are ${dollars(connected.logGb)} GB and ${dollars(alone.logGb)} GB. Not in it: calls of the account API, data that leaves AWS, and backups.

## Storage

- A million **flows** are at most ${gbPerMillion} GB in the table: ${(gbPerMillion * perGb).toFixed(2)} USD for each month that they are kept, ${(gbPerMillion * prices.pointInTimeGbMonth).toFixed(2)} of them for point-in-time recovery,
  which is always on.
- **Backups** of \`backupVaultArn\` are full copies, kept for ${backupDays} days (\`backupDays\`) in both vaults. Those of the example fleet, in USD a month:

${markdownTable(
  ['`backupEvery`', 'Copies', 'USD a GB in the table', 'Vaults', 'Transfer to another region'],
  backups.map(([every, interval]) => [
    `\`${every}\``,
    dollars(copies(interval)),
    (copies(interval) * prices.backupGbMonth).toFixed(2),
    dollars(gb * copies(interval) * prices.backupGbMonth),
    dollars(gb * (monthDays / interval) * prices.regionGb),
  ]),
)}
- **\`tableClass=infrequent-access\`** stores a GB for ${prices.infrequentGbMonth.toFixed(2)} in place of ${prices.tableGbMonth.toFixed(2)} USD a month, and makes reads and writes ${(100 * (prices.infrequentUnits - 1)).toFixed(0)} % dearer. It pays from
  ${days(tableUsd(stated.flow) * 1e6, 1)} days of \`flowRetentionDays\` on for flows alone; for the example fleet from ${days(connected.throughput, millionFlows)} days on with the live channel, and from ${days(alone.throughput, millionFlows)} days
  on without. Point-in-time recovery and backups cost the same in both classes.
`
}
