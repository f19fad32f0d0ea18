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

/** `trips` for calls: how often each waits for the table. */
type Row = { name: string; usage: Usage; trips?: number }

const flowName = (reports: number): string => `flows, ${reports} reports a request`

/** What a flow and a call cost, at the sizes and for the calls that `docs/costs.md` tells. */
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

/** Two significant digits of what is measured in CPU, so that the table changes when the code does. */
const rounded = (value: number, digits: number): number => Number(value.toPrecision(digits))

/** Thousands, because a table of millions is read a million at a time. */
const thousands = (value: number): string => rounded(value * 1e3, 3).toLocaleString('en-US')

const heads = ['HTTP requests', 'Lambda requests', 'Lambda GB-ms', 'Write units', 'Read units', 'Payload units', 'USD']

export const costsTable = (rows: Row[]): string =>
  markdownTable(
    ['A million of', ...heads],
    rows.map(({ name, usage }) => {
      const shown: Usage = { ...usage, lambdaGbMs: rounded(usage.lambdaGbMs, 2) }
      return [name, ...usageNames.map((unit) => thousands(shown[unit])), (usdOf(shown) * 1e6).toFixed(2)]
    }),
  )

/** What leases cost a million calls, so many calls a lease. */
const leases = (calls: number): string => ((1e6 * prices.writeUnit) / calls).toFixed(2)

/** Calls that no consumer of a stream follows. */
const callsAlone = (rows: Row[]) =>
  rows.flatMap(({ name, usage, trips }) =>
    trips !== undefined && usage.lambdaRequests === 1 ? [{ name, usage, trips }] : [],
  )

/** What it costs to synchronise a directory: a bench of its own writes it, and all others leave it as it stands. */
const syncPart = /## Directories\n.*?(?=\n## )/s

/** What sign-in costs functions that sign nobody in; the same. */
const importPart = /## Cold imports\n.*?(?=\n## )/s

/** Parts that follow from prices, templates and stated units, computed without measuring. */
const derivedPart = /## At rest\n.*?(?=\n## Directories\n)/s

const settingsText = `## Settings

What settings cost a month (list prices of us-east-1): \`encryptionKey=own\` ${prices.keyMonth} USD for the key and 0.03 USD for 10,000 requests to it, of which
table and bucket make few; CloudFront in front 1 USD a million requests and 0.085 USD a GB sent, its web ACL 0.60 USD a million requests
besides the above; a replica of the key of stored secrets ${prices.keyMonth} USD; \`flowStreamShards=on-demand\` 29 USD and 0.08 USD a GB. Domain, IPv6, reserved
functions, throttles, tags and boundaries cost nothing.
`

/** The text with what it costs at rest, what an example fleet costs, and what storage and settings do. */
export async function withDerived(text: string): Promise<string> {
  const usages = statedUsages(text)
  const [flow, grant] = [flowName(100), '`POST /client/authorizations`'].map((name) => usages.get(name))
  if (!flow || !grant) throw new Error('docs/costs.md does not state what a flow and an authorization take.')
  const stated = { flow, grant, presence: statedPresence(text) }
  const parts = [await restText(), fleetText(stated, await restUsd()), settingsText]
  return text.replace(derivedPart, () => parts.join('\n'))
}

const document = (rows: Row[], presence: PresenceRow[], kept: string): string => `# What it costs

Written by \`npm run bench -- --write\`, so that a change that makes something dearer shows in review. Units are in thousands
for a million of each; prices are those of \`test/bench/costs/prices.ts\` (us-east-1, without free tiers). \`npm run bench -- --derived\` renews the parts
_At rest_ to _Settings_ alone, from prices, templates and the units that are stated.

${costsTable(rows)}
- A **flow** is one side of a connection, reported when it opened and when it closed, in two requests. The consumer is
  taken to run once for each record of the stream, the most that can be.
- A **change** has with it what the consumers of the table's stream do about it: its log entry and its follow-up.
- A **lease** of the rate limit is one write unit, and not in the calls: one for ten calls of a busy process at the limits of a
  new account (${leases(10)} USD a million calls), one for each call of a process that has less than one in five seconds (${leases(1)} USD).
- **Lambda GB-ms** are measured CPU, told as that of one and the same machine; at one CPU for 1,769 MB the memory of a
  function does not matter for them. Waiting for the table is not in them; below it is.

## At rest

${kept}
## Presence

${presenceText(presence)}
## Memory

What a call takes and what a million of it costs altogether, with waiting: ${roundTripMs} ms for each round trip to the table, and the CPU
above at the share of a CPU that a memory has. Last, latency times cost, beside 512 MB. Functions have the memory with the
least of that (\`infra/functions/current-function.ts\`); it makes cold starts shorter in the same measure.

${memoryTable(callsAlone(rows))}`

/** The units that the first table of a text states, for one of each. */
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

/** CPU within a quarter of what is stated is the same: machines are not that exact. */
const isNear = (measured: number, stated: number): boolean => Math.abs(measured - stated) <= stated / 4

/** Writes `docs/costs.md`. */
export async function writeCostsDocument(rows: Row[], presence: PresenceRow[]): Promise<void> {
  const text = await readFile(file, 'utf8')
  const stated = statedUsages(text)
  const steady = rows.map(({ name, usage, ...row }) => {
    const before = stated.get(name)?.lambdaGbMs ?? 0
    return { ...row, name, usage: isNear(usage.lambdaGbMs, before) ? { ...usage, lambdaGbMs: before } : usage }
  })
  const kept = [syncPart, importPart].flatMap((part) => part.exec(text)?.[0] ?? [])
  await writeFile(file, await withDerived(document(steady, presence, kept.join('\n'))))
}

/** Writes what follows from today's prices and templates into `docs/costs.md`, beside the units that it states. */
export const writeDerivedCosts = async (): Promise<void> =>
  writeFile(file, await withDerived(await readFile(file, 'utf8')))

/** Writes what `npm run bench -- --sync` has measured into `docs/costs.md`. */
export async function writeSyncCosts(measured: string): Promise<void> {
  const by =
    'Written by `npm run bench -- --sync <thousands of people> --in <folder> --write`, which goes on in its folder where it was ended.'
  const part = `## Directories\n\n${by}\n\n${measured}`
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replace(syncPart, () => part),
  )
}

/** Writes what `npm run bench -- --imports` has measured into `docs/costs.md`. */
export async function writeImportCosts(revision: string, measured: string): Promise<void> {
  const by = `Written by \`npm run bench -- --imports ${revision} --write\`: what loading functions that sign nobody in cost a process before
there was sign-in, and now. openid-client is loaded by the callback of a sign-in alone.`
  const part = `## Cold imports\n\n${by}\n\n${measured}`
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replace(importPart, () => part),
  )
}
