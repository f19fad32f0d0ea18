import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Checkout } from './checkout.ts'
import { markdownTable } from './markdown-table.ts'
import { median } from './median.ts'

type Compared = { base: Checkout; now: Checkout }
export type Version = keyof Compared
type Figures = Record<Version, number[]>

/** Functions whose imports are measured: those of devices and pipelines, and one list. */
const importedFiles = [
  'api/groups/list-groups',
  'api/authorizations/create-authorization',
  'api/gateway-sessions/renew-gateway-session',
  'api/ingestion/report-flow-logs',
]

/** Functions of each kind that are not involved in sign-in. Dependencies of sign-in must not slow down their imports. */
const filesWithoutSignIn = [
  ...importedFiles,
  'api/groups/create-group',
  'api/groups/delete-group',
  'api/logs/list-logs',
  'api/client-sessions/renew-client-session',
  'v0/users/list-v0-users',
  'streams/write-change-log',
  'streams/follow-up',
  'streams/store-flow-logs',
  'schedules/expire',
]

const calledOperations = [
  'GET /groups/{id}',
  'GET /groups',
  'POST /groups',
  'PUT /gateway/sessions/{id}',
  'POST /client/authorizations',
  'POST /ingestion/flow_logs',
]

const siblingPath = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Alternates the order of the versions, so that other load affects both equally. */
export const versionOrder = (round: number): Version[] => (round % 2 === 0 ? ['base', 'now'] : ['now', 'base'])

const ratioOf = ({ base, now }: Figures): number => median(now) / median(base)

const row = (name: string, figures: Figures): string[] => {
  const [before, after] = [median(figures.base), median(figures.now)]
  return [`\`${name}\``, before.toFixed(1), after.toFixed(1), ratioOf(figures).toFixed(2)]
}

const table = (what: string, name: string, rows: string[][]): string =>
  markdownTable([what, `CPU ms of ${name}`, 'CPU ms now', 'Ratio'], rows)

function importFigures({ base, now }: Compared, files: string[], rounds: number): [file: string, Figures][] {
  const cpuOf = ({ code }: Checkout, file: string) =>
    Number(
      execFileSync(
        process.execPath,
        [siblingPath('import-process.ts'), pathToFileURL(join(code, `${file}.mjs`)).href],
        { stdio: ['ignore', 'pipe', 'ignore'] },
      ),
    )
  return files.map((file) => {
    const figures: Figures = { base: [], now: [] }
    for (let round = 0; round < rounds; round++)
      for (const version of versionOrder(round)) figures[version].push(cpuOf({ base, now }[version], file))
    return [file, figures]
  })
}

export const importTable = (compared: Compared, rounds = 9): string =>
  table(
    'Cold import of',
    compared.base.name,
    importFigures(compared, importedFiles, rounds).map(([file, figures]) => row(file, figures)),
  )

/** Compares the imports of functions without sign-in, and adds the median ratio between the two versions. */
export function signInImports(compared: Compared, rounds = 15): string {
  const figures = importFigures(compared, filesWithoutSignIn, rounds)
  const ratio = median(figures.map(([, each]) => ratioOf(each))).toFixed(2)
  const rows = figures.map(([file, each]) => row(file, each))
  return `${table('Cold import of', compared.base.name, rows)}\nThe median ratio is ${ratio}.\n`
}

/** Environment variables of this process, plus the names that earlier versions used. */
const versionEnvironment = (): NodeJS.ProcessEnv => ({
  SERVICE_SECRET: 'a secret of earlier versions alone',
  KINESIS_ENDPOINT: process.env.AWS_ENDPOINT_URL_KINESIS,
  ...process.env,
})

async function startProcess({ root, code }: Checkout): Promise<ChildProcess> {
  const child = fork(siblingPath('call-process.ts'), [root, code], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: versionEnvironment(),
  })
  // Turns a failed exit into an error event, which rejects any pending wait for a message from the process.
  child.once('exit', (status) => status && child.emit('error', new Error(`A compared process ended with ${status}.`)))
  await once(child, 'message')
  return child
}

async function measureRequests(child: ChildProcess, name: string, count: number, query?: object): Promise<number> {
  child.send({ name, count, query })
  const [cpu] = await once(child, 'message')
  return Number(cpu)
}

const minimum = (figures: number[]): number => Math.min(...figures)

const leastRow = (name: string, { base, now }: Figures): string[] => {
  const [before, after] = [minimum(base), minimum(now)]
  const difference = (after - before).toFixed(1)
  return [name, before.toFixed(2), after.toFixed(2), (after / before).toFixed(2), difference]
}

async function startFigures(
  { base, now }: Compared,
  children: Record<Version, ChildProcess>,
  name: string,
  rounds: number,
) {
  const figures = { imported: { base: [], now: [] } as Figures, first: { base: [], now: [] } as Figures }
  const first = async (version: Version) => {
    children[version].send({ name, count: 0 })
    const [message] = await once(children[version], 'message')
    return message
  }
  const events = { base: await first('base'), now: await first('now') }
  for (let round = 0; round < rounds; round++) {
    for (const version of versionOrder(round)) {
      const { file, event } = events[version]
      const { code } = { base, now }[version]
      const args = [siblingPath('first-process.ts'), join(code, file), JSON.stringify(event)]
      const text = execFileSync(process.execPath, args, {
        stdio: ['ignore', 'pipe', 'ignore'],
        env: versionEnvironment(),
      })
      const [imported, first] = JSON.parse(text.toString())
      figures.imported[version].push(imported)
      figures.first[version].push(first)
    }
  }
  return figures
}

/** Requests whose costs are limited (docs/decisions/0042): a read, a grant, a change, and a page of 100 rows. */
const bounded = ['GET /groups/{id}', 'POST /client/authorizations', 'POST /groups', 'GET /groups'] as const

/**
 * Prints the minimum CPU of cold starts and warm requests for two versions. Alternates between the versions and takes minimums, to exclude
 * other load.
 */
export async function printRequestPathOf(
  compared: Compared,
  print: (line: string) => unknown,
  rounds = 5,
): Promise<void> {
  const children = { base: await startProcess(compared.base), now: await startProcess(compared.now) }
  const printLine = (cells: string[]) => print(`| ${cells.join(' | ')} |\n`)
  try {
    printLine(['Least CPU ms', compared.base.name, 'now', 'Ratio', 'More'])
    printLine(['---', '---', '---', '---', '---'])
    for (const name of bounded.slice(0, 2)) {
      const { imported, first } = await startFigures(compared, children, name, rounds)
      printLine(leastRow(`cold import for ${name}`, imported))
      printLine(leastRow(`first request, ${name}`, first))
    }
    for (const name of bounded) {
      const figures: Figures = { base: [], now: [] }
      const query = name === 'GET /groups' ? { limit: '100' } : undefined
      // Excludes the first two rounds, which include compilation.
      for (let round = -2; round < rounds; round++) {
        for (const version of versionOrder(round)) {
          const cpu = await measureRequests(children[version], name, 30, query)
          if (round >= 0) figures[version].push(cpu)
        }
      }
      printLine(leastRow(`warm ${name}${query ? ' of 100' : ''}`, figures))
    }
  } finally {
    for (const child of Object.values(children)) child.disconnect()
  }
}

export async function callTable(compared: Compared, rounds = 8, count = 20): Promise<string> {
  const children = { base: await startProcess(compared.base), now: await startProcess(compared.now) }
  try {
    const rows: string[][] = []
    for (const name of calledOperations) {
      const figures: Figures = { base: [], now: [] }
      // Excludes the first two rounds, which include compilation.
      for (let round = -2; round < rounds; round++) {
        for (const version of versionOrder(round)) {
          const cpu = await measureRequests(children[version], name, count)
          if (round >= 0) figures[version].push(cpu)
        }
      }
      rows.push(row(name, figures))
    }
    return table('Warm request', compared.base.name, rows)
  } finally {
    for (const child of Object.values(children)) child.disconnect()
  }
}
