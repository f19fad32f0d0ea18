import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { handler as createDirectoryOfAnyKind } from '#functions/api/directories/create-directory.ts'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { type DirectoryRow, directories } from '#shared/domain/directories/directory.ts'
import { directorySources } from '#shared/sync/directories/directory-source.ts'
import type { Run } from '#shared/sync/runs/run.ts'
import { beginRun, readOpenRun, runsPartition, toRun } from '#shared/sync/runs/run-store.ts'
import { getRow, queryItems } from '#shared/table/read.ts'
import { table } from '#shared/table/table.ts'
import { call, newAccount, withRoute } from '#test/support/accounts/account.ts'
import { prices } from '../costs/prices.ts'
import { markdownTable } from '../measure/markdown-table.ts'
import type { CompanySize } from './sync-company.ts'
import type { StepOrder, StepReport } from './sync-process.ts'

const createDirectory = withRoute(createDirectoryOfAnyKind, 'POST /idp_directories')

type Line = { name: string; changed: string } & StepReport

/** Stored results, from which an interrupted bench resumes. */
type State = {
  size: CompanySize
  token: string
  syncSource: StepOrder['syncSource']
  done: Line[]
  current: StepReport | null
  /** Durations of an administrator's changes without a run, in milliseconds. `during` contains those measured during the first run. */
  without: number[]
  during: number[]
  /** Number of changes by lost races: the entry at index `n` counts the changes that lost `n` races. */
  races: number[]
}

const runs = ['first run', 'nothing changed', '1 % of the people changed']
const stepMs = 60_000
const nothing = (): StepReport => ({ seconds: 0, cpu: 0, reads: 0, writes: 0, megabytes: 0, wrote: [] })

const addReports = (one: StepReport, other: StepReport): StepReport => ({
  seconds: one.seconds + other.seconds,
  cpu: one.cpu + other.cpu,
  reads: one.reads + other.reads,
  writes: one.writes + other.writes,
  megabytes: Math.max(one.megabytes, other.megabytes),
  wrote: [...new Set([...one.wrote, ...other.wrote])].sort(),
})

async function firstState(size: CompanySize): Promise<State> {
  const account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
  const idp_directory = { name: 'Company', client_id: 'client', idp_domain: 'idp.example.com' }
  const { body } = await account.call(createDirectory, { method: 'POST', body: { idp_directory } })
  const syncSource = { account_id: account.id, collection: directories.idp.name, source_id: body.data.id }
  const noStates = { done: [], current: null, without: [], during: [], races: [] }
  return { size, token: account.token, syncSource, ...noStates }
}

/** Number of this process's transactions that a concurrent transaction cancelled. */
const counts = { races: 0 }

/** Makes an administrator's changes one at a time, and returns the duration of each in milliseconds. */
async function administrate(state: State, continues: (count: number) => boolean, pauseMs: number): Promise<number[]> {
  const { token, races } = state
  table().middlewareStack.add(
    (next) => (args) =>
      next(args).catch((error: Error) => {
        if (error.name === 'TransactionCanceledException') counts.races++
        throw error
      }),
    { step: 'initialize', name: 'countsRaces', override: true },
  )
  const times: number[] = []
  while (continues(times.length)) {
    const started = performance.now()
    const before = counts.races
    const body = { group: { name: `Group ${Math.random()}` } }
    const created = await call(createGroup, { token, method: 'POST', body })
    if (created.status !== 201) throw new Error(`An administrator received ${created.text}`)
    times.push(performance.now() - started)
    const inThis = counts.races - before
    races[inThis] = (races[inThis] ?? 0) + 1
    await call(deleteGroup, { token, method: 'DELETE', params: { id: created.body.data.id } })
    await sleep(pauseMs)
  }
  return times
}

const lastRun = async ({ syncSource }: State): Promise<Run | null> => {
  const partition = runsPartition(syncSource.account_id, syncSource.source_id)
  const [item] = await queryItems(partition, { backward: true, limit: 1 })
  return item ? toRun(item as never) : null
}

async function begin({ syncSource }: State): Promise<void> {
  if (await readOpenRun(syncSource.account_id, syncSource.source_id)) return
  const source = directorySources.idp
  const row = (await getRow(directories.idp, syncSource.account_id, syncSource.source_id)) as DirectoryRow
  await beginRun(source, row, { preview: false })
}

/** Runs a step in a new process, and `during` concurrently in this process. */
async function step(order: StepOrder, during: (isOver: () => boolean) => Promise<unknown>): Promise<StepReport> {
  const child = fork(fileURLToPath(new URL('./sync-process.ts', import.meta.url)), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const exited = once(child, 'exit')
  await once(child, 'message')
  let over = false
  const working = during(() => over)
  child.send(order)
  const [[report]] = await Promise.all([Promise.race([once(child, 'message'), exited.then(() => [null])])])
  over = true
  await Promise.all([working, exited])
  if (!report || 'fault' in report) throw new Error(`A step has failed: ${report?.fault ?? 'it ended'}`)
  return report
}

const changedBy = ({ applied }: Run): string =>
  Object.entries(applied)
    .map(([object, { insert, update, delete: deleted }]) => `${object} +${insert} ~${update} -${deleted}`)
    .join(', ')

/** Repeats steps until the run is applied. An interrupted run resumes at the next step, or when the bench next starts. */
async function measureRun(state: State, name: string, save: () => void): Promise<void> {
  const changes = state.done.length === 2 ? 1 : 0
  const isFirst = state.done.length === 0
  for (;;) {
    await begin(state)
    if (isFirst) state.without.push(...(await administrate(state, (count) => count < 25, 50)))
    const report = await step(
      { size: state.size, changes, syncSource: state.syncSource, ms: stepMs },
      async (isOver) => {
        if (isFirst) state.during.push(...(await administrate(state, () => !isOver(), 250)))
      },
    )
    state.current = addReports(state.current ?? nothing(), report)
    save()
    const run = (await lastRun(state)) as Run
    const open = await readOpenRun(state.syncSource.account_id, state.syncSource.source_id)
    process.stderr.write(
      `${name}, ${run.phase}, ${state.current.seconds.toFixed(0)} s: ${changedBy(open ? { ...run, applied: open.applied } : run)}\n`,
    )
    if (run.finished_at === null) {
      // Waits until the lease of a killed step has expired.
      if (report.reads < 5) await sleep(5_000)
    } else if (run.outcome === 'applied') {
      state.done.push({ ...state.current, name, changed: changedBy(run) })
      state.current = null
      save()
      return
    } else if (!/did not end within/.test(run.error ?? '')) throw new Error(`The run was ${run.outcome}: ${run.error}`)
  }
}

const thousands = (value: number): string => Math.round(value).toLocaleString('en')

function percentile(times: number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

/** Seconds that a run waits for its provider, in a function with one CPU (identity-wire.md). */
const functionSeconds = 300
const functionGb = 1.769
const runsAMonth = 360

/** Returns the monthly costs of runs in USD, assuming that one percent of the people change each day. */
function monthUsd(unchanged: StepReport, hundredth: StepReport) {
  const reads = runsAMonth * unchanged.reads * prices.readUnit
  const writes = (runsAMonth * unchanged.writes + 30 * (hundredth.writes - unchanged.writes)) * prices.writeUnit
  const compute = runsAMonth * (functionSeconds + unchanged.cpu) * functionGb * prices.lambdaGbSecond
  return { reads, writes, compute, all: reads + writes + compute }
}

export type SyncFigures = { text: string; markdown: string }

function figuresOf({ size, done, without, during, races }: State): SyncFigures {
  const [first, unchanged, hundredth] = done as [Line, Line, Line]
  const lines = done.map(
    ({ name, seconds, cpu, reads, writes, changed }) =>
      `  ${name.padEnd(26)} ${seconds.toFixed(1).padStart(8)} s ${cpu.toFixed(1).padStart(7)} s CPU ${thousands(reads).padStart(11)} reads ${thousands(writes).padStart(11)} writes   ${changed}`,
  )
  const megabytes = Math.max(...done.map((line) => line.megabytes))
  const usd = monthUsd(unchanged, hundredth)
  const [aloneMs, duringMs] = [percentile(without, 0.99), percentile(during, 0.99)]
  const ratio = (duringMs / aloneMs).toFixed(2)
  const company = `${thousands(size.users)} people, ${thousands(size.groups)} groups and ${thousands(size.memberships)} memberships`
  const text = [
    `a directory of ${company}:`,
    ...lines,
    `  memory of a step at most ${thousands(megabytes)} MB, as a process`,
    `  an administrator's change, 99th of a hundred: ${aloneMs.toFixed(0)} ms alone (${without.length}), ${duringMs.toFixed(0)} ms during the first load (${during.length}), ${ratio} times; the median ${percentile(without, 0.5).toFixed(0)} and ${percentile(during, 0.5).toFixed(0)} ms`,
    `  administrators' changes by lost races (none, one, two …): ${Array.from(races, (count) => count ?? 0).join(', ')}`,
    `  a run in which nothing changed wrote: ${unchanged.wrote.join(', ')}`,
    `  a month of two-hourly runs, 1 % changed a day: ${usd.all.toFixed(2)} USD (reads ${usd.reads.toFixed(2)}, writes ${usd.writes.toFixed(2)}, function ${usd.compute.toFixed(2)})`,
    `  the first load once: ${(first.reads * prices.readUnit + first.writes * prices.writeUnit).toFixed(2)} USD`,
    '',
  ].join('\n')
  const row = ({ name, seconds, cpu, reads, writes, changed }: Line) => [
    name,
    ...[seconds, cpu, reads, writes].map(thousands),
    changed,
  ]
  const markdown = [
    `The table lists sync runs of a directory of ${company}. They were measured with the local`,
    'DynamoDB engine, while an administrator made changes continuously. In the last column, + counts created objects, ~ changed',
    'objects and - deleted objects.',
    '',
    markdownTable(['Run', 'Seconds', 'CPU, s', 'Read units', 'Write units', 'Changed'], done.map(row)),
    '',
    `- A step of a run needs at most ${thousands(megabytes)} MB of memory in a Node.js process.`,
    `- During the first run, an administrator's change took ${ratio} times as long as without a run (99th percentile).`,
    `- If a run starts every two hours and 1 % of the people change each day, the runs cost ${usd.all.toFixed(2)} USD per month. Of this, read units cost`,
    `  ${usd.reads.toFixed(2)} USD, write units ${usd.writes.toFixed(2)} USD, and the function ${usd.compute.toFixed(2)} USD, if it waits five minutes for the provider in each run.`,
    `- The first run costs ${(first.reads * prices.readUnit + first.writes * prices.writeUnit).toFixed(2)} USD once.`,
    '',
  ].join('\n')
  return { text, markdown }
}

/**
 * Measures the runs of a directory of this size, and computes their monthly costs.
 * @param folder folder for the table and the results so far, from which an interrupted bench resumes
 */
export async function measureSync(size: CompanySize, folder: string | null): Promise<SyncFigures> {
  const file = folder && join(folder, 'sync-bench.json')
  const state: State = file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : await firstState(size)
  if (JSON.stringify(state.size) !== JSON.stringify(size))
    throw new Error(`The folder ${folder} belongs to a company of another size.`)
  const save = () => {
    if (file) writeFileSync(file, JSON.stringify(state))
  }
  save()
  for (const name of runs.slice(state.done.length)) await measureRun(state, name, save)
  return figuresOf(state)
}
