import { readFile, writeFile } from 'node:fs/promises'
import { callUsages } from '../measure/call-usage.ts'
import { markdownTable } from '../measure/markdown-table.ts'
import { memoryTable, roundTripMs } from '../measure/memory.ts'
import { type Usage, usageNames, usdOf } from '../measure/usage.ts'
import { fleetText } from './fleet-costs.ts'
import { flowUsage } from './flow-usage.ts'
import { type PresenceRow, presenceText, statedPresence } from './presence-costs.ts'
import { prices } from './prices.ts'
import { restText, restUsd } from './rest-costs.ts'

const file = new URL('../../../docs/costs.md', import.meta.url)

/** A row of the cost table. Calls have `trips`: the sequential round trips to the table. */
type Row = { name: string; usage: Usage; trips?: number }

const flowName = (reports: number): string => `flows, ${reports} reports a request`

/** Measures the flows and calls that `docs/costs.md` lists. */
export async function flowRows(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [reports, flows] of [
    [10, 200],
    [100, 1_000],
    [1_000, 2_000],
  ] as const) {
    rows.push({ name: flowName(reports), usage: await flowUsage(reports, flows) })
  }
  return rows
}

export const callRows = async (): Promise<Row[]> =>
  [...(await callUsages())].map(([name, call]) => ({ name: name.startsWith('a ') ? name : `\`${name}\``, ...call }))

/** Rounds CPU figures to two significant digits, so that the table changes only with the code. */
const round = (value: number, digits: number): number => Number(value.toPrecision(digits))

/** Formats a figure in thousands, the unit of the table per million operations. */
const thousands = (value: number): string => round(value * 1e3, 3).toLocaleString('en-US')

const heads = ['HTTP requests', 'Lambda requests', 'Lambda GB-ms', 'Write units', 'Read units', 'Payload units', 'USD']

export const costsTable = (rows: Row[]): string =>
  markdownTable(
    ['One million of', ...heads],
    rows.map(({ name, usage }) => {
      const rounded: Usage = { ...usage, lambdaGbMs: round(usage.lambdaGbMs, 2) }
      return [name, ...usageNames.map((unit) => thousands(rounded[unit])), (usdOf(rounded) * 1e6).toFixed(2)]
    }),
  )

/** USD of the leases for a million calls. */
const leases = (calls: number): string => ((1e6 * prices.writeUnit) / calls).toFixed(2)

/** Selects the calls that cause no run of a consumer. */
const callsAlone = (rows: Row[]) =>
  rows.flatMap(({ name, usage, trips }) =>
    trips !== undefined && usage.lambdaRequests === 1 ? [{ name, usage, trips }] : [],
  )

/** The section on directories. Only `npm run bench -- --sync` writes it. */
const syncPart = /## Directories\n.*?(?=\n## )/s

/** The section on imports. Only `npm run bench -- --imports` writes it. */
const importPart = /## Cold imports\n.*?(?=\n## )/s

/** Sections that are computed from prices, templates and stated units, without measurements. */
const derivedPart = /## At rest\n.*?(?=\n## Directories\n)/s

const settingsText = `## Settings

Some settings add a monthly cost (list prices of us-east-1):

- \`encryptionKey=own\`: ${prices.keyMonth} USD for the key, and 0.03 USD per 10,000 requests to it. Table and bucket make few requests.
- CloudFront in front: 1 USD per million requests, and 0.085 USD per GB sent. Its web ACL adds 0.60 USD per million requests to the figures
  of [At rest](#at-rest).
- A replica of the key of stored secrets: ${prices.keyMonth} USD.
- \`flowStreamShards=on-demand\`: 29 USD, and 0.08 USD per GB.

A domain, IPv6, reserved functions, throttles, tags and permissions boundaries are free of charge.
`

/** Replaces the derived sections of the page: idle costs, the example fleet, storage and settings. */
export async function withDerived(text: string): Promise<string> {
  const usages = statedUsages(text)
  const [flow, grant] = [flowName(100), '`POST /client/authorizations`'].map((name) => usages.get(name))
  if (!flow || !grant) throw new Error('docs/costs.md does not state what a flow and an authorization take.')
  const stated = { flow, grant, presence: statedPresence(text) }
  const parts = [await restText(), fleetText(stated, await restUsd()), settingsText]
  return text.replace(derivedPart, () => parts.join('\n'))
}

const document = (rows: Row[], presence: PresenceRow[], otherParts: string): string => `# Costs

This page states what the service costs on AWS: for each million of flows and calls, at rest, and for an example fleet. \`npm run bench -- --write\`
measures the figures and writes the page, so that a review shows each change that raises a cost.

Units are in thousands. Prices are those of \`test/bench/costs/prices.ts\` (us-east-1, without free tiers). \`npm run bench -- --derived\` updates
only the sections _At rest_ to _Settings_, from the prices, the templates and the units stated on this page.

${costsTable(rows)}
- A **flow** is one side of a connection. Two requests report it: one when it opened, one when it closed. The figures assume that the
  consumer runs once per record of the stream, which is the maximum.
- A **change** includes the work of the consumers of the table's stream: its log entry and its follow-up work.
- A **lease** of the rate limit costs one write unit, which the calls above do not include. A busy process at the limits of a new account
  takes one lease per ten calls (${leases(10)} USD per million calls). A process with less than one call in five seconds takes one lease per call
  (${leases(1)} USD).
- **Lambda GB-ms** are measured CPU time, converted to the speed of a reference machine. Lambda allots one CPU per 1,769 MB, so the memory
  size of a function does not change them. They exclude the time in which a call waits for the table. [Memory](#memory) includes it.

## At rest

${otherParts}
## Presence

${presenceText(presence)}
## Memory

The table lists the latency of a call and the total cost of a million calls, by memory size. The latency is ${roundTripMs} ms for each round trip to
the table, plus the CPU time above. A memory size with a share of a CPU takes proportionally longer. The last column is latency times
cost for each size, relative to 512 MB.

Functions have the memory size with the lowest product (\`infra/functions/current-function.ts\`). A larger size shortens cold starts in
the same proportion.

${memoryTable(callsAlone(rows))}`

/** Parses the units per operation from the first table of a text. */
export function statedUsages(text: string): Map<string, Usage> {
  const [first = ''] = text.split('\n## ')
  const rows = first.matchAll(/^\| (flows|`|a ).*$/gm)
  return new Map(
    [...rows].map(([line]) => {
      const [name = '', ...cells] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
      const values = usageNames.map((unit, i) => [unit, Number(cells[i]?.replaceAll(',', '')) / 1e3])
      return [name, Object.fromEntries(values) as Usage]
    }),
  )
}

/** True if CPU differs by at most a quarter of the stated value, the precision of the machines. */
const isNear = (measured: number, stated: number): boolean => Math.abs(measured - stated) <= stated / 4

export async function writeCostsDocument(rows: Row[], presence: PresenceRow[]): Promise<void> {
  const text = await readFile(file, 'utf8')
  const stated = statedUsages(text)
  const steady = rows.map(({ name, usage, ...row }) => {
    const before = stated.get(name)?.lambdaGbMs ?? 0
    return { ...row, name, usage: isNear(usage.lambdaGbMs, before) ? { ...usage, lambdaGbMs: before } : usage }
  })
  const otherParts = [syncPart, importPart].flatMap((part) => part.exec(text)?.[0] ?? [])
  await writeFile(file, await withDerived(document(steady, presence, otherParts.join('\n'))))
}

/** Updates the derived sections of `docs/costs.md` from today's prices and templates. */
export const writeDerivedCosts = async (): Promise<void> =>
  writeFile(file, await withDerived(await readFile(file, 'utf8')))

/** Writes the figures of `npm run bench -- --sync` into `docs/costs.md`. */
export async function writeSyncCosts(measured: string): Promise<void> {
  const by =
    'Written by `npm run bench -- --sync <thousands of people> --in <folder> --write`. An interrupted bench resumes from its folder.'
  const part = `## Directories\n\n${by}\n\n${measured}`
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replace(syncPart, () => part),
  )
}

/** Writes the figures of `npm run bench -- --imports` into `docs/costs.md`. */
export async function writeImportCosts(revision: string, measured: string): Promise<void> {
  const by = `Written by \`npm run bench -- --imports ${revision} --write\`. The table compares the CPU time in which a process loads
a function, before sign-in was added and now. All listed functions sign nobody in: only the callback of a sign-in loads openid-client.`
  const part = `## Cold imports\n\n${by}\n\n${measured}`
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replace(importPart, () => part),
  )
}
