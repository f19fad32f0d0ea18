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

/** Minimum of three runs, because other work of the process is included in each measurement. */
async function measureLeast(run: () => unknown): Promise<number> {
  const tries = [await measureCpu(run), await measureCpu(run), await measureCpu(run)]
  return Math.min(...tries)
}

/** CPU units per second, as measured on the machines of these tests. */
export const secondOfCpu = 25

let unit: Promise<number> | undefined

/**
 * Measures the CPU of a fixed piece of work, the unit for other measurements: 50,000 small objects are serialized as
 * JSON and parsed.
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
