import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Version } from '../measure/compare.ts'
import { markdownTable } from '../measure/markdown-table.ts'
import { hasProcesses, processTree } from '../measure/process-times.ts'
import { countingVariables, measureCounts } from './counts.ts'
import { type RunningServices, startNpmService } from './npm-service.ts'
import { atOnce, inRounds, type Lines, mergeLines, type Pair, type Sizes, versions } from './rounds.ts'
import { commitIdOf, writeSeparateCheckout } from './separate-checkout.ts'
import { measureTimes } from './times.ts'

const sizes: Sizes = { listed: 1_000, requests: 16, rounds: 10, idleSeconds: 10 }

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Revision with which the goals compare. */
const goalBase = '63340871'

/** Bounds of the ratio now/base, except for those of the value itself. */
const goals: Record<string, { bound: number; isMinimum?: true; isAbsolute?: true }> = {
  'memory after the start, MB': { bound: 300, isAbsolute: true },
  'first start, ms': { bound: 0.71 },
  'start again, ms': { bound: 0.29 },
  'CPU of 1,000 mixed requests, s': { bound: 0.5 },
  'get one group, p50 ms': { bound: 0.78 },
  'create a group, p50 ms': { bound: 0.82 },
  'list of 1000 groups, ms': { bound: 0.71 },
  'list of 1000 policies, ms': { bound: 0.78 },
  'list of 1000 clients, ms': { bound: 0.69 },
  'list of 1000 change log entries, ms': { bound: 0.25 },
  'members 1000 → 0 → 1000, ms': { bound: 0.37 },
  '20 writers, groups per second': { bound: 2.14, isMinimum: true },
  '20 writers, p95 ms': { bound: 0.39 },
}

/**
 * Measures `npm start` of a revision and of the current files. Ends all processes and removes all files, also after a failure or Ctrl-C.
 */
async function measureOneMachine(revision: string) {
  const directory = mkdtempSync(join(tmpdir(), 'bench-one-machine-'))
  const running: RunningServices = new Set()
  let ending: Promise<void> | undefined
  const end = () => {
    ending ??= Promise.all([...running].map((stop) => stop())).then(() =>
      rmSync(directory, { recursive: true, force: true }),
    )
    return ending
  }
  const onSignal = () => void end().finally(() => process.exit(130))
  for (const name of endSignals) process.on(name, onSignal)

  const folder = (version: Version, name: string) => join(directory, `${version}-${name}`)
  const start = (version: Version, variables: Record<string, string> = {}) => {
    if (ending !== undefined) throw new Error('The bench was interrupted.')
    return startNpmService({ root: folder(version, 'code'), dir: folder(version, 'data'), variables, running })
  }
  const startedMs = async (version: Version) => {
    const { readyMs, stop } = await start(version)
    await stop()
    return readyMs
  }
  const both: Pair<Version> = { base: 'base', now: 'now' }
  try {
    const starts = await inRounds(3, both, async (version): Promise<Lines> => {
      writeSeparateCheckout(version === 'base' ? revision : null, folder(version, 'code'))
      rmSync(folder(version, 'data'), { recursive: true, force: true })
      return { 'first start, ms': await startedMs(version), 'start again, ms': await startedMs(version) }
    })
    const services = await atOnce(both, (version) => start(version))
    const processes = await atOnce(services, ({ pid }) => processTree(pid))
    const { lines, groups, actors } = await measureTimes(services, sizes)
    await atOnce(services, ({ stop }) => stop())
    const counts = await atOnce(both, async (version) => {
      const counted = folder(version, 'counts')
      mkdirSync(counted)
      const service = await start(version, countingVariables(counted))
      const [groupId = ''] = groups[version]
      return measureCounts(service, counted, { groupId, actorIds: actors[version] }, { ...sizes, requests: 100 })
    })
    return { lines: mergeLines(starts, lines, counts), processes }
  } finally {
    await end()
    for (const name of endSignals) process.off(name, onSignal)
  }
}

function goalCells(name: string, { base, now }: Pair<number>, isJudged: boolean): string[] {
  const goal = goals[name]
  if (!goal) return ['', '']
  const { bound, isMinimum = false, isAbsolute = false } = goal
  const value = isAbsolute ? now : now / base
  const isMet = isMinimum ? value >= bound : value <= bound
  return [`${isMinimum ? '≥' : '≤'} ${bound}${isAbsolute ? ' MB' : ''}`, isJudged ? (isMet ? 'met' : 'MISSED') : '']
}

/** Formats the figures of both versions. Judges the goals only in a comparison with the revision before the issue. */
export async function oneMachineText(revision: string): Promise<string> {
  const isJudged = commitIdOf(revision) === commitIdOf(goalBase)
  const { lines, processes } = await measureOneMachine(revision)
  const rows = Object.keys(lines.base).map((name) => {
    const [base, now] = [lines.base[name] ?? 0, lines.now[name] ?? 0]
    const figures = [base, now].map((figure) => figure.toFixed(figure < 100 ? 2 : 0))
    return [name, ...figures, (now / base).toFixed(2), ...goalCells(name, { base, now }, isJudged)]
  })
  const resident = versions.map((version) => {
    const list = processes[version].map(({ program, megabytes }) => `${program} ${megabytes.toFixed(0)} MB`)
    return `Resident processes, ${version}: ${list.join(', ')}.\n`
  })
  return [
    markdownTable(['One machine', revision, 'Now', 'Now/base', 'Goal', 'Verdict'], rows),
    `\nThe goals of ratios are those of the issue, each divided by the ratio that the issue states for ${goalBase}.\n`,
    ...(isJudged ? [] : [`They are judged only by \`npm run bench -- --one-machine ${goalBase}\`.\n`]),
    ...(hasProcesses ? resident : ['Memory, CPU and processes are not measured, because this system has no /proc.\n']),
  ].join('')
}
