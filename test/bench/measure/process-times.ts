import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'

/** CPU milliseconds of a process and its descendants, by program name. */
export type ProcessTimes = Map<string, number>

/** Linux reports CPU time in hundredths of a second. */
const millisecondsPerTick = 10

/** Process with its CPU time and its resident memory in megabytes. */
type Process = { pid: number; parent: number; program: string; milliseconds: number; megabytes: number }

async function readProcess(pid: string): Promise<Process[]> {
  const [stat, command, status] = await Promise.all(
    ['stat', 'cmdline', 'status'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
  ).catch(() => [])
  if (!stat || !command || !status) return []
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [binary = '', ...args] = command.split('\0')
  const script = args.find((arg) => /^\S+\.(ts|mjs)$/.test(arg))
  return [
    {
      pid: Number(pid),
      parent: Number(fields[1]),
      program: (script ?? binary).split('/').at(-1) ?? '',
      milliseconds: (Number(fields[11]) + Number(fields[12])) * millisecondsPerTick,
      megabytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024,
    },
  ]
}

export const hasProcesses = existsSync('/proc/self/stat')

/** Reads a process and its descendants. The result is empty on a system without `/proc`. */
export async function processTree(root: number): Promise<Process[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const found = (await Promise.all(pids.map(readProcess))).flat()
  const processes = new Map(found.map((process) => [process.pid, process]))
  const isBelow = (pid: number): boolean => {
    const { parent } = processes.get(pid) ?? { parent: 0 }
    return pid === root || (parent > 0 && isBelow(parent))
  }
  return found.filter(({ pid }) => isBelow(pid))
}

/** Reads the CPU times of a process and its descendants. The result is empty on a system without `/proc`. */
export async function processTimes(root: number): Promise<ProcessTimes> {
  const times: ProcessTimes = new Map()
  for (const { program, milliseconds } of await processTree(root))
    times.set(program, (times.get(program) ?? 0) + milliseconds)
  return times
}

export const usedBetween = (before: ProcessTimes, after: ProcessTimes): ProcessTimes =>
  new Map([...after].map(([program, time]) => [program, time - (before.get(program) ?? 0)]))
