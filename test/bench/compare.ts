import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Checkout } from './checkout.ts'
import { markdownTable } from './markdown-table.ts'

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

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const row = (name: string, { base, now }: Figures): string[] => {
  const [before, after] = [median(base), median(now)]
  return [`\`${name}\``, before.toFixed(1), after.toFixed(1), (after / before).toFixed(2)]
}

const table = (what: string, name: string, rows: string[][]): string =>
  markdownTable([what, `CPU ms of ${name}`, 'CPU ms now', 'Ratio'], rows)

/** What loading a function costs a process that has loaded nothing. */
export function importTable({ base, now }: Compared, rounds = 9): string {
  const cpuOf = ({ code }: Checkout, file: string) =>
    Number(
      execFileSync(process.execPath, [here('import-process.ts'), pathToFileURL(join(code, `${file}.mjs`)).href], {
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    )
  const rows = started.map((file) => {
    const figures: Figures = { base: [], now: [] }
    for (let round = 0; round < rounds; round++)
      for (const version of turns(round)) figures[version].push(cpuOf({ base, now }[version], file))
    return row(file, figures)
  })
  return table('Cold import of', base.name, rows)
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
