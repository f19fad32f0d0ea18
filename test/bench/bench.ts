import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadOperations } from '#functions/operations.ts'
import { bundle } from '#infra/code/bundle.ts'
import { clock } from '#shared/core/clock.ts'
import { pack } from '#shared/logs/flows/packing.ts'
import { serviceEngines } from '#test/support/run/engine.ts'
import { chromiumPath } from '#test/support/sign-in/browser.ts'
import { accessCosts, accessTable, decisionRates } from './access/access.ts'
import { contentionTable } from './access/contention.ts'
import { printArchiveGoals } from './archive/archive.ts'
import { consoleCosts, consoleTable } from './console/console-costs.ts'
import {
  callRows,
  costsTable,
  flowRows,
  writeCostsDocument,
  writeDerivedCosts,
  writeImportCosts,
  writeSyncCosts,
} from './costs/costs.ts'
import { dearestOperations, dearestTable } from './costs/dearest.ts'
import { costTable, operationCosts, writeCosts } from './costs/operation-costs.ts'
import { presenceRatio, presenceRows, presenceText } from './costs/presence-costs.ts'
import { consumerCosts, consumerTable } from './flows/consumer.ts'
import { ingestCosts, ingestTable } from './flows/ingest.ts'
import { loadTable, loadTest } from './flows/load.ts'
import { clientListRatio, clientListText } from './lists/client-list.ts'
import { listCosts, listTable } from './lists/list-costs.ts'
import { logCosts, logTable } from './lists/log-costs.ts'
import { memberCosts, memberText } from './lists/members.ts'
import { liveFigures } from './live/live.ts'
import { liveCrowd } from './live/live-crowd.ts'
import { measureNotifiedCrowd, notifiedCrowdText } from './live/notified-crowd.ts'
import { unconnectedText } from './live/unconnected.ts'
import { twoCheckouts } from './measure/checkout.ts'
import { callTable, importTable, printRequestPathOf, signInImports } from './measure/compare.ts'
import { readSample, sampleClaims, sampleFlows } from './measure/sample-reports.ts'
import { verdict } from './measure/verdict.ts'
import { oneMachineText } from './one-machine/one-machine.ts'
import { rowCheckFigures } from './seal/row-check.ts'
import { sealFigures } from './seal/seal.ts'
import { measureSync } from './sync/sync.ts'

const print = process.stdout.write.bind(process.stdout)
// Hides the log lines of the service.
process.stdout.write = () => true

/** Duration of the load test in seconds: the value of `--load` (default 60), or 10 if all benches run. */
function loadSeconds(): number {
  const at = process.argv.indexOf('--load')
  if (at < 0) return 10
  const seconds = Number(process.argv[at + 1] ?? 60)
  if (!(seconds > 0)) throw new Error('Use: npm run bench -- --load [seconds]')
  return seconds
}

/**
 * Size of the company. The value of `--sync` is in thousands of people (default 10). The numbers of groups and memberships are proportional
 * to it.
 */
function syncSize() {
  const thousand = Number(process.argv[process.argv.indexOf('--sync') + 1] ?? 10)
  if (!(thousand > 0)) throw new Error('Use: npm run bench -- --sync [thousands of people] [--in folder] [--write]')
  return { users: thousand * 1_000, groups: thousand * 20, memberships: thousand * 5_000 }
}

/** Folder (`--in`) that stores the table of `--sync`. An interrupted bench resumes from this folder. */
const syncFolder = (): string | null => {
  const at = process.argv.indexOf('--in')
  return at < 0 ? null : (process.argv[at + 1] ?? null)
}

async function printSync(): Promise<void> {
  const folder = syncFolder()
  if (folder) await mkdir(folder, { recursive: true })
  const stopEngines = await serviceEngines(folder)
  try {
    const figures = await measureSync(syncSize(), folder)
    print(figures.text)
    if (process.argv.includes('--write')) await writeSyncCosts(figures.markdown)
  } finally {
    await stopEngines()
  }
}

async function printLoad(): Promise<void> {
  const result = await loadTest(loadSeconds())
  print(`gateways stream while administrators read and write:\n${loadTable(result)}`)
  if (result.lost + result.duplicated + result.wrong > 0) process.exitCode = 1
}

/**
 * Measures the live channel at the rates of `--live`, in grants per second. The contract requires 50 (C6). The default
 * includes lower rates for smaller machines.
 */
async function printLive(): Promise<void> {
  const at = process.argv.indexOf('--live')
  const rates = at < 0 ? [] : process.argv.slice(at + 1).map(Number)
  if (rates.some((rate) => !(rate > 0))) throw new Error('Use: npm run bench -- --live [grants a second …]')
  print('devices with the live channel:\n')
  await liveFigures(rates.length > 0 ? rates : [10, 25, 50], print)
}

/** Measures a crowd on the live channel. The value of `--live-crowd` is the number of clients (default 1,000). */
async function printLiveCrowd(): Promise<void> {
  const size = Number(process.argv[process.argv.indexOf('--live-crowd') + 1] ?? 1_000)
  if (!(Number.isInteger(size) && size > 0)) throw new Error('Use: npm run bench -- --live-crowd [clients]')
  print(await liveCrowd(size))
}

function printFailure(error: Error): void {
  print(`${error.stack}\n`)
  process.exitCode = 1
}

const printNotifiedCrowd = async (): Promise<unknown> => print(notifiedCrowdText(await measureNotifiedCrowd()))

/** Writes `docs/table.md` and `docs/costs.md`. */
async function write(): Promise<void> {
  await writeCosts(await operationCosts())
  await writeCostsDocument([...(await flowRows()), ...(await callRows())], await presenceRows())
}

function printPacking(): void {
  const { mixed } = sampleFlows()
  const records = Array.from({ length: 10_000 }, (_, i) => mixed(i))
  const packed = pack(sampleClaims, clock.now(), records.map(readSample)).reduce((sum, { length }) => sum + length, 0)
  const part = ((100 * packed) / JSON.stringify(records).length).toFixed(1)
  print(`packed size: ${(packed / records.length).toFixed(1)} bytes a report, ${part} % of its JSON\n`)
}

async function printBundle(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-bundle-'))
  try {
    const operations = await loadOperations()
    await bundle(operations, directory)
    const files = (await readdir(directory, { recursive: true })).filter((file) => file.endsWith('.mjs'))
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(directory, file))).size))
    const total = sizes.reduce((sum, size) => sum + size, 0)
    print(`bundle: ${operations.length} operations, ${(total / 1024).toFixed(0)} KB in all, minified\n`)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Git revision that follows a command-line option (default `HEAD~1`). */
const revisionAfter = (name: string): string => process.argv[process.argv.indexOf(name) + 1] ?? 'HEAD~1'

async function withRevision(
  revision: string,
  work: (compared: Omit<Awaited<ReturnType<typeof twoCheckouts>>, 'remove'>) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-against-'))
  const { remove, ...compared } = await twoCheckouts(revision, directory)
  try {
    await work(compared)
  } finally {
    remove()
    await rm(directory, { recursive: true, force: true })
  }
}

const printComparison = (): Promise<void> =>
  withRevision(revisionAfter('--against'), async (compared) => {
    print(`${importTable(compared)}\n${await callTable(compared)}`)
  })

/** Compares the request path with that of the last revision before the SDK's clients were used (docs/decisions/0042). */
async function printRequestPath(): Promise<void> {
  // Lengthens gateway leases, so that they outlast the bench on a slow machine.
  process.env.HEARTBEAT_SECS = '3600'
  await withRevision('28083990', (compared) => printRequestPathOf(compared, print))
}

/** Compares the import times of functions without sign-in with those of an earlier revision. */
const printImports = (): Promise<void> =>
  withRevision(revisionAfter('--imports'), async (compared) => {
    const measured = signInImports(compared)
    print(measured)
    if (process.argv.includes('--write')) await writeImportCosts(compared.base.name, measured)
  })

async function printAccess(): Promise<void> {
  // Lengthens leases, so that they outlast the insertion of the test data.
  process.env.HEARTBEAT_SECS = '3600'
  const rates = Object.entries(await decisionRates())
  print(`in a second of CPU:\n${rates.map(([what, rate]) => `  ${Math.round(rate)} ${what}\n`).join('')}`)
  const costs = await accessCosts(10, 10_000)
  print(`access, by authorizations of other gateways, policies and resources:\n${accessTable(costs, 10, 10_000)}`)
  await printContention(1_000)
  delete process.env.HEARTBEAT_SECS
}

const printContention = async (clients: number): Promise<unknown> =>
  print(`clients that reconnect at once and request one resource:\n${await contentionTable(clients)}`)

/** Measures contention among as many concurrent clients as `--clients` specifies. */
async function printContentionOf(): Promise<void> {
  const clients = Number(process.argv[process.argv.indexOf('--clients') + 1])
  if (!(Number.isInteger(clients) && clients > 0)) throw new Error('Use: npm run bench -- --clients <number>')
  process.env.HEARTBEAT_SECS = '3600'
  await printContention(clients)
}

async function printLogs(): Promise<void> {
  const sizes: [number, number] = [1_000, 1_000_000]
  print(`a page of 50 log entries:\n${logTable(await logCosts(sizes[0]), await logCosts(sizes[1]), sizes)}\n`)
}

async function printClientLists(): Promise<void> {
  for (const rows of [10, 50, 100]) print(clientListText(await clientListRatio(rows)))
}

/** Measures the console in an account of 20,000 actors and 1,000,000 log entries, compared with 100 and 1,000 (K10.3). */
async function printConsole(): Promise<void> {
  const chromium = chromiumPath()
  if (!chromium) throw new Error('There is no Chromium on this machine. Set CHROMIUM to its path.')
  const few = { actors: 100, entries: 1_000, days: 1 }
  const many = { actors: 20_000, entries: 1_000_000, days: 30 }
  print(`screens of the console, at 20,000 actors and 1,000,000 entries, compared with 100 and 1,000:\n`)
  print(consoleTable(await consoleCosts(chromium, { few, many }, 5)))
}

/** Measures the goals of the archive. The value of `--archive` is the number of flows to flush (default 300,000). */
async function printArchive(): Promise<void> {
  const flows = Number(process.argv[process.argv.indexOf('--archive') + 1] ?? 300_000)
  if (!(Number.isInteger(flows) && flows > 0)) throw new Error('Use: npm run bench -- --archive [flows]')
  await printArchiveGoals(print, flows)
}

async function printAll(): Promise<void> {
  // Checks rows first, because the check reads the whole table, and later benches add a million items to it.
  print(await rowCheckFigures(20_000))
  print(`table usage of an operation:\n${costTable(await operationCosts())}`)
  print(`the dearest operations for the largest bodies:\n${dearestTable(await dearestOperations(10))}`)
  print(`ingest:\n${ingestTable(await ingestCosts())}`)
  printPacking()
  await printAccess()
  print(`storing flows:\n${consumerTable(await consumerCosts())}`)
  await printLogs()
  print(`a page of 50:\n${listTable(await listCosts(100, 20_000), 100, 20_000)}\n`)
  await printClientLists()
  print(memberText(await memberCosts(1_000)))
  await printBundle()
  await printLoad()
  await printLive()
  await printNotifiedCrowd()
  print(await unconnectedText())
  const rows = [...(await flowRows()), ...(await callRows())]
  print(`costs, in thousands of units per million:\n${costsTable(rows)}`)
  print(presenceText(await presenceRows()))
  print(await sealFigures(10_000))
  await printArchiveGoals(print)
}

if (process.argv.includes('--load')) {
  await printLoad()
} else if (process.argv.includes('--live')) {
  // Prints a failure, and continues with the next bench.
  await printLive().catch(printFailure)
  const stopEngines = await serviceEngines()
  await printNotifiedCrowd().catch(printFailure)
  await unconnectedText().then(print, printFailure)
  await presenceRows().then((rows) => {
    print(presenceText(rows))
    print(verdict('C6', 'presence costs an eighth of polling at most', presenceRatio(rows) >= 8))
  }, printFailure)
  await stopEngines()
} else if (process.argv.includes('--sync')) {
  await printSync()
} else if (process.argv.includes('--imports')) {
  await printImports()
} else if (process.argv.includes('--one-machine')) {
  print(await oneMachineText(revisionAfter('--one-machine')))
} else if (process.argv.includes('--derived')) {
  await writeDerivedCosts()
} else {
  const stopEngines = await serviceEngines()
  try {
    if (process.argv.includes('--against')) await printComparison()
    else if (process.argv.includes('--request-path')) await printRequestPath()
    else if (process.argv.includes('--live-crowd')) await printLiveCrowd()
    else if (process.argv.includes('--clients')) await printContentionOf()
    else if (process.argv.includes('--client-lists')) await printClientLists()
    else if (process.argv.includes('--seal')) print(await sealFigures(10_000))
    else if (process.argv.includes('--archive')) await printArchive()
    else if (process.argv.includes('--console')) await printConsole()
    else if (process.argv.includes('--rows')) print(await rowCheckFigures(20_000))
    else if (process.argv.includes('--presence')) print(presenceText(await presenceRows()))
    else await (process.argv.includes('--write') ? write() : printAll())
  } finally {
    await stopEngines()
  }
}
process.exit()
