import { dataSettings } from '#infra/settings/data.ts'
import { markdownTable } from '../measure/markdown-table.ts'
import { sum, type Usage, usdOf } from '../measure/usage.ts'
import { logGbOf, logUsdOf } from './log-lines.ts'
import { type PresenceRow, platformUsd } from './presence-costs.ts'
import { prices } from './prices.ts'

const millionFlows = 304
const millionGrants = 5
const { archiveRetentionDays, backupDays: keptBackups } = dataSettings
const keptDays = archiveRetentionDays.fallback
/** Days for which reports stay in the table (R2.5). */
const bufferedDays = 14
const backupDays = keptBackups.fallback
const monthDays = 365.25 / 12
/** Maximum storage of a million flows in GB (R14): both reports in the table, with the keys of blocks of 100, and the row in the bucket. */
const gbPerMillion = { table: 0.1, bucket: 0.085 }
const vaults = 2

const gb = millionFlows * gbPerMillion.table * (bufferedDays / monthDays)
const bucketGb = millionFlows * gbPerMillion.bucket * (keptDays / monthDays)
const tableUsd = ({ writeUnits, readUnits }: Usage): number =>
  writeUnits * prices.writeUnit + readUnits * prices.readUnit

/** Measured usage that `docs/costs.md` states: per flow, reported and flushed, per authorization, and for presence per month. */
export type Stated = { flow: Usage; flush: Usage; grant: Usage; presence: PresenceRow[] }

const dollars = (usd: number): string => Math.round(usd).toLocaleString('en-US')

/** Monthly costs of the fleet, excluding the idle costs of the deployment. */
function fleetParts({ flow, flush, grant }: Stated, presence: PresenceRow) {
  const used = sum(
    [flow, millionFlows * 1e6],
    [flush, millionFlows * 1e6],
    [grant, millionGrants * 1e6],
    [presence.usage, 1],
  )
  return {
    throughput: tableUsd(used),
    rows: [
      [`${millionFlows} M flows, 100 reports per request`, millionFlows * 1e6 * usdOf(flow)],
      ['flush of these flows', millionFlows * 1e6 * usdOf(flush)],
      [`archived flows of ${keptDays} days, ${dollars(bucketGb)} GB`, bucketGb * prices.bucketGbMonth],
      [`blocks of ${bufferedDays} days, ${dollars(gb)} GB`, gb * (prices.tableGbMonth + prices.pointInTimeGbMonth)],
      ['presence', usdOf(presence.usage) + platformUsd(presence.usage)],
      [`${millionGrants} M authorizations`, millionGrants * 1e6 * usdOf(grant)],
      ['log lines', logUsdOf(used)],
    ] as [string, number][],
    logGb: logGbOf(used),
  }
}

/** Minimum size of the table in GB from which the infrequent-access class is cheaper, given the monthly throughput in USD. */
const paysFromGb = (throughput: number): number =>
  Math.ceil((throughput * (prices.infrequentUnits - 1)) / (prices.tableGbMonth - prices.infrequentGbMonth))

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
  const bucketUsd = gbPerMillion.bucket * prices.bucketGbMonth
  const tableUsdOfMillion =
    (gbPerMillion.table * bufferedDays * (prices.tableGbMonth + prices.pointInTimeGbMonth)) / monthDays
  return `## Example fleet

The example fleet has 10,000 clients and 200 gateways. It produces ${millionFlows} million flows per month, which are archived for ${keptDays} days, and ${millionGrants} million
authorizations per month. The table compares its monthly cost with the live channel, and without it (only heartbeats every 30 seconds).

${markdownTable(['USD per month', 'With the live channel', 'Only heartbeats'], [...rows, rest, sums])}
The log lines amount to ${dollars(connected.logGb)} GB per month with the live channel and ${dollars(alone.logGb)} GB without it. The totals exclude calls to the account API, data transfer out of
AWS, and backups.

## Storage

- **Flows**: a million flows use at most ${gbPerMillion.table} GB in the table for ${bufferedDays} days, which costs ${tableUsdOfMillion.toFixed(2)} USD with point-in-time recovery. In the
  bucket, they use at most ${gbPerMillion.bucket} GB, which costs ${bucketUsd.toFixed(4)} USD for each month of \`archiveRetentionDays\`.
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
- **\`tableClass=infrequent-access\`**: storage costs ${prices.infrequentGbMonth.toFixed(2)} instead of ${prices.tableGbMonth.toFixed(2)} USD per GB-month, but reads and writes cost ${(100 * (prices.infrequentUnits - 1)).toFixed(0)} % more.
  For the example fleet, it is cheaper if the table has at least ${paysFromGb(connected.throughput)} GB with the live channel, and ${paysFromGb(alone.throughput)} GB without it. The cost of point-in-time recovery and backups does not depend on the class.
`
}
