import { readFile, writeFile } from 'node:fs/promises'
import { flowsPerHour, flushUsage } from '../archive/flush-usage.ts'
import { callUsages } from '../measure/call-usage.ts'
import { markdownTable } from '../measure/markdown-table.ts'
import { memoryTable, roundTripMs } from '../measure/memory.ts'
import { type Usage, usageNames, usdOf } from '../measure/usage.ts'
import { fleetText } from './fleet-costs.ts'
import { flowRequests, flowUsage } from './flow-usage.ts'
import { type PresenceRow, presenceText, statedPresence } from './presence-costs.ts'
import { prices } from './prices.ts'
import { restText, restUsd } from './rest-costs.ts'

const file = new URL('../../../docs/costs.md', import.meta.url)

/** Row of the cost table. `trips` is the number of sequential round trips to the table, and only calls have it. */
type Row = { name: string; usage: Usage; trips?: number }

const flowName = (reports: number): string => `flows, ${reports} reports per request`

const flushName = 'flows, flushed to the archive'

export async function flowRows(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [reports, flows] of flowRequests) {
    rows.push({ name: flowName(reports), usage: await flowUsage(reports, flows) })
  }
  // Compiles the code of the flush before it is measured.
  await flushUsage(100, 5_000)
  rows.push({ name: flushName, usage: (await flushUsage(100)).usage })
  return rows
}

export const callRows = async (): Promise<Row[]> =>
  [...(await callUsages())].map(([name, call]) => ({ name: name.startsWith('a ') ? name : `\`${name}\``, ...call }))

/** Rounds to significant digits, so that small differences between measurements do not change the table. */
const round = (value: number, digits: number): number => Number(value.toPrecision(digits))

/** Converts a figure per operation to thousands per million operations. */
const thousands = (value: number): string => round(value * 1e3, 3).toLocaleString('en-US')

const heads = [
  'HTTP requests',
  'Lambda requests',
  'Lambda GB-ms',
  'Write units',
  'Read units',
  'Payload units',
  'PUTs',
  'Signatures',
  'USD',
]

export const costsTable = (rows: Row[]): string =>
  markdownTable(
    ['One million of', ...heads],
    rows.map(({ name, usage }) => {
      const rounded: Usage = { ...usage, lambdaGbMs: round(usage.lambdaGbMs, 2) }
      return [name, ...usageNames.map((unit) => thousands(rounded[unit])), (usdOf(rounded) * 1e6).toFixed(2)]
    }),
  )

/** USD for the lease writes of a million calls, if each lease covers `calls` calls. */
const leases = (calls: number): string => ((1e6 * prices.writeUnit) / calls).toFixed(2)

/** Selects the calls that do not trigger a stream consumer. */
const callsAlone = (rows: Row[]) =>
  rows.flatMap(({ name, usage, trips }) =>
    trips !== undefined && usage.lambdaRequests === 1 ? [{ name, usage, trips }] : [],
  )

/** Matches the section on directories, which only `npm run bench -- --sync` writes. */
const syncPart = /## Directories\n.*?(?=\n## )/s

/** Matches the section on imports, which only `npm run bench -- --imports` writes. */
const importPart = /## Cold imports\n.*?(?=\n## )/s

/** Matches the sections that are computed from prices, templates and stated units, without measurements. */
const derivedPart = /## At rest\n.*?(?=\n## Directories\n)/s

const settingsText = `## Settings

Some settings add a monthly cost (list prices of us-east-1):

- \`encryptionKey=own\`: ${prices.keyMonth} USD for the key, and 0.03 USD per 10,000 requests to KMS. The table and the bucket cause few requests.
- CloudFront in front of the API: 1 USD per million requests, and 0.085 USD per GB sent. The web ACL adds 0.60 USD per million requests to the
  figures in [At rest](#at-rest).
- A replica of the key for stored secrets: ${prices.keyMonth} USD.
- \`flowStreamShards=on-demand\`: 29 USD, and 0.08 USD per GB.

A custom domain, IPv6, reserved concurrency, throttling limits, tags and permissions boundaries are free of charge.
`

/** Replaces the computed sections of `docs/costs.md`: idle costs, the example fleet, storage and settings. */
export async function withDerived(text: string): Promise<string> {
  const usages = statedUsages(text)
  const names = [flowName(100), flushName, '`POST /client/authorizations`']
  const [flow, flush, grant] = names.map((name) => usages.get(name))
  if (!flow || !flush || !grant)
    throw new Error('docs/costs.md does not state the usage of a flow and an authorization.')
  const stated = { flow, flush, grant, presence: statedPresence(text) }
  const parts = [await restText(), fleetText(stated, await restUsd()), settingsText]
  return text.replace(derivedPart, () => parts.join('\n'))
}

const document = (rows: Row[], presence: PresenceRow[], otherParts: string): string => `# Costs

This page lists what the service costs on AWS: the cost of a million flows or API calls, the cost at rest, and the cost for an example fleet.
\`npm run bench -- --write\` measures the figures and writes this page. A code review therefore shows each change that raises a cost.

The figures in the following table are in thousands, except for the USD column. Prices come from \`test/bench/costs/prices.ts\` (us-east-1, without
free tiers). \`npm run bench -- --derived\` updates only the sections from _At rest_ to _Settings_. It calculates them from the prices, the templates
and the figures on this page.

${costsTable(rows)}
- **Flows**: a flow is one side of a connection. Two requests report it, one when the flow opens and one when it closes. The figures assume that
  Lambda invokes the consumer once for each record in the stream, which is the maximum.
- **Flush**: the hourly flush of an account with ${flowsPerHour.toLocaleString('en-US')} flows per hour, and sealing of its manifests. Add its cost to that of reporting a flow.
  A PUT writes a file, a manifest, or an object of the sealed log. [Storage](#storage) lists the cost of keeping flows.
- **Changes**: the cost of a change includes the work of the consumers of the table's stream, which write its log entry and finish its follow-up work.
- **Leases of the rate limit**: a process reserves units of the rate limit in advance. Each lease costs one write unit, which the table above does not
  include. At the limits of a new account, a busy process needs one lease per ten calls (${leases(10)} USD per million calls). A process that handles less
  than one call in five seconds needs one lease per call (${leases(1)} USD per million calls).
- **Lambda GB-ms**: these figures are measured CPU time, converted to the speed of a reference machine. They do not depend on a function's memory size,
  because Lambda allocates one CPU per 1,769 MB. They exclude the time during which a call waits for the table. [Memory](#memory) includes this time.

## At rest

${otherParts}
## Presence

${presenceText(presence)}
## Memory

The table lists the latency of a call and the total cost of a million calls, by memory size. The latency is ${roundTripMs} ms for each round trip to
the DynamoDB table, plus the CPU time listed above. A memory size with only a share of a CPU needs proportionally more time. The last column
contains the product of latency and cost for each size, relative to 512 MB.

The service uses the memory size with the lowest product (\`infra/functions/current-function.ts\`). A larger size shortens cold starts
proportionally.

${memoryTable(callsAlone(rows))}`

/** Parses the units per operation from the first table of `docs/costs.md`. */
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

/** True if measured and stated CPU differ by at most a quarter, which is the measurement precision on different machines. */
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

export const writeDerivedCosts = async (): Promise<void> =>
  writeFile(file, await withDerived(await readFile(file, 'utf8')))

export async function writeSyncCosts(measured: string): Promise<void> {
  const by =
    '`npm run bench -- --sync <thousands of people> --in <folder> --write` measures this section. If it is interrupted, it resumes from its folder.'
  const part = `## Directories\n\n${by}\n\n${measured}`
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replace(syncPart, () => part),
  )
}

export async function writeImportCosts(revision: string, measured: string): Promise<void> {
  const by = `\`npm run bench -- --imports ${revision} --write\` measures this section. The table compares the CPU time that a process needs to load a
function now with the time before sign-in was added to the service. The listed functions are not part of sign-in. Only the sign-in
callback loads the package openid-client.`
  const part = `## Cold imports\n\n${by}\n\n${measured}`
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replace(importPart, () => part),
  )
}
