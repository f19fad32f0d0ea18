import { readdir, readFile } from 'node:fs/promises'

/** CPU milliseconds of a process and its descendants, by program name. */
export type ProcessTimes = Map<string, number>

/** Linux reports CPU time in hundredths of a second. */
const millisecondsPerTick = 10

type Process = { parent: number; program: string; milliseconds: number }

async function readProcess(pid: string): Promise<Process | null> {
  const [stat, command] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
  ]).catch(() => [])
  if (!stat || !command) return null
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [binary = '', ...args] = command.split('\0')
  const script = args.find((arg) => arg.endsWith('.ts'))
  return {
    parent: Number(fields[1]),
    program: (script ?? binary).split('/').at(-1) ?? '',
    milliseconds: (Number(fields[11]) + Number(fields[12])) * millisecondsPerTick,
  }
}

/** Reads the CPU times of a process and its descendants. The result is empty on a system without `/proc`. */
export async function processTimes(root: number): Promise<ProcessTimes> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const processes = new Map<number, Process>()
  await Promise.all(
    pids.map(async (pid) => {
      const found = await readProcess(pid)
      if (found) processes.set(Number(pid), found)
    }),
  )
  const isBelow = (pid: number): boolean => {
    const { parent } = processes.get(pid) ?? { parent: 0 }
    return pid === root || (parent > 0 && isBelow(parent))
  }
  const times: ProcessTimes = new Map()
  for (const [pid, { program, milliseconds }] of processes) {
    if (isBelow(pid)) times.set(program, (times.get(program) ?? 0) + milliseconds)
  }
  return times
}

export const usedBetween = (before: ProcessTimes, after: ProcessTimes): ProcessTimes =>
  new Map([...after].map(([program, time]) => [program, time - (before.get(program) ?? 0)]))
