import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Checkout } from './checkout.ts'
import { markdownTable } from './markdown-table.ts'
import { median } from './median.ts'

type Compared = { base: Checkout; now: Checkout }
type Version = keyof Compared
type Figures = Record<Version, number[]>

/** The functions of devices and pipelines, and a list. */
const started = [
  'api/groups/list-groups',
  'api/authorizations/create-authorization',
  'api/gateway-sessions/renew-gateway-session',
  'api/ingestion/report-flow-logs',
]

/** Functions of each kind that sign nobody in: what those bring that do costs them nothing. */
const signingNobodyIn = [
  ...started,
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

const called = [
  'GET /groups/{id}',
  'GET /groups',
  'POST /groups',
  'PUT /gateway/sessions/{id}',
  'POST /client/authorizations',
]

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** First one version, then the other, then the other way round: what the machine does meanwhile meets both. */
const turns = (round: number): Version[] => (round % 2 === 0 ? ['base', 'now'] : ['now', 'base'])

const ratioOf = ({ base, now }: Figures): number => median(now) / median(base)

const row = (name: string, figures: Figures): string[] => {
  const [before, after] = [median(figures.base), median(figures.now)]
  return [`\`${name}\``, before.toFixed(1), after.toFixed(1), ratioOf(figures).toFixed(2)]
}

const table = (what: string, name: string, rows: string[][]): string =>
  markdownTable([what, `CPU ms of ${name}`, 'CPU ms now', 'Ratio'], rows)

/** What loading each of some functions costs a process that has loaded nothing. */
function importFigures({ base, now }: Compared, files: string[], rounds: number): [file: string, Figures][] {
  const cpuOf = ({ code }: Checkout, file: string) =>
    Number(
      execFileSync(process.execPath, [here('import-process.ts'), pathToFileURL(join(code, `${file}.mjs`)).href], {
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    )
  return files.map((file) => {
    const figures: Figures = { base: [], now: [] }
    for (let round = 0; round < rounds; round++)
      for (const version of turns(round)) figures[version].push(cpuOf({ base, now }[version], file))
    return [file, figures]
  })
}

export const importTable = (compared: Compared, rounds = 9): string =>
  table(
    'Cold import of',
    compared.base.name,
    importFigures(compared, started, rounds).map(([file, figures]) => row(file, figures)),
  )

/** The same of functions that sign nobody in, and how it is in the middle of them. */
export function signInImports(compared: Compared, rounds = 15): string {
  const figures = importFigures(compared, signingNobodyIn, rounds)
  const ratio = median(figures.map(([, each]) => ratioOf(each))).toFixed(2)
  const rows = figures.map(([file, each]) => row(file, each))
  return `${table('Cold import of', compared.base.name, rows)}\nIn the middle of them the ratio is ${ratio}.\n`
}

async function startProcess({ root, code }: Checkout): Promise<ChildProcess> {
  const child = fork(here('call-process.ts'), [root, code], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  // Who waits for its answer hears of it as of an error.
  child.once('exit', (status) => status && child.emit('error', new Error(`A compared process ended with ${status}.`)))
  await once(child, 'message')
  return child
}

async function ask(child: ChildProcess, name: string, count: number): Promise<number> {
  child.send({ name, count })
  const [cpu] = await once(child, 'message')
  return Number(cpu)
}

/** What a request costs a process that has answered some before. */
export async function callTable(compared: Compared, rounds = 8, count = 20): Promise<string> {
  const children = { base: await startProcess(compared.base), now: await startProcess(compared.now) }
  try {
    const rows: string[][] = []
    for (const name of called) {
      const figures: Figures = { base: [], now: [] }
      // The first two rounds compile what the others run.
      for (let round = -2; round < rounds; round++) {
        for (const version of turns(round)) {
          const cpu = await ask(children[version], name, count)
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
