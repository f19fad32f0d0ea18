const micros = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return user + system
}

/** Measures the CPU time of a run in microseconds. */
export async function measureCpu(run: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await run()
  return micros(before)
}

/** Returns the minimum of three runs, because each measurement includes unrelated work in the process. */
async function measureLeast(run: () => unknown): Promise<number> {
  const tries = [await measureCpu(run), await measureCpu(run), await measureCpu(run)]
  return Math.min(...tries)
}

/** CPU units (see `cpuUnit`) per second of CPU, as measured on the test machines. */
export const secondOfCpu = 25

let unit: Promise<number> | undefined

/**
 * Returns the CPU time in microseconds for serializing and parsing 50,000 small objects. Other measurements use this time as their unit.
 */
export function cpuUnit(): Promise<number> {
  const rows = Array.from({ length: 50_000 }, (_, i) => ({
    id: `row-${i}`,
    name: 'text',
    values: [i, i + 1],
    on: true,
  }))
  unit ??= measureLeast(() => JSON.parse(JSON.stringify(rows)))
  return unit
}
