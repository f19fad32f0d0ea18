import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { writeExport } from './write-export.ts'

const run = promisify(execFile)

/**
 * Code that is prepended to the bundled verifier. At exit, it prints the CPU in microseconds and the peak memory in kilobytes. Linux
 * initializes `maxRSS` with the parent process's memory, so `/proc` is preferred.
 */
const reportUsage = `import { existsSync as hasStatus, readFileSync as readStatus } from 'node:fs'
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const own = hasStatus('/proc/self/status') ? /VmHWM:\\s+(\\d+)/.exec(readStatus('/proc/self/status', 'utf8')) : null
  process.stdout.write(JSON.stringify({ cpu: userCPUTime + systemCPUTime, peak: Number(own?.[1] ?? maxRSS) }) + '\\n')
})`

type VerifyCost = { entries: number; megabytes: number; perSecond: number; peakMegabytes: number }

/** Measures the verifier as an auditor runs it, in a separate process with one export file. */
async function verifyCost(entries: number): Promise<VerifyCost> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-export-'))
  try {
    const [file, verifier] = [join(dir, 'export.ndjson'), join(dir, 'verify-export.mjs')]
    await writeExport(file, entries)
    const common = { bundle: true, platform: 'node', target: 'node20', format: 'esm', outfile: verifier } as const
    await build({
      ...common,
      entryPoints: ['infra/commands/verify-export.ts'],
      banner: { js: reportUsage },
      logLevel: 'error',
    })
    const { stdout } = await run(process.execPath, [verifier, file], { cwd: dir, env: {} })
    // Reads the usage from the last line, because the verifying thread prints other figures before the process does.
    const lines = stdout.trim().split('\n')
    const [result = '', usage = ''] = [lines[0], lines.at(-1)]
    if (!result.startsWith(`OK: ${entries} change entries`)) throw new Error(result)
    const { cpu, peak } = JSON.parse(usage)
    return {
      entries,
      megabytes: Math.round(statSync(file).size / 1e6),
      perSecond: Math.round((entries / cpu) * 1e6),
      peakMegabytes: Math.round((peak * 1_024) / 1e6),
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

export async function verifyFigures(entries: number): Promise<string> {
  const costs = [await verifyCost(entries), await verifyCost(10 * entries)]
  const [small, large] = costs as [VerifyCost, VerifyCost]
  const lines = costs.map(
    ({ entries: count, megabytes, perSecond, peakMegabytes }) =>
      `verifying ${count} entries (${megabytes} MB): ${perSecond} a second of CPU, at most ${peakMegabytes} MB resident\n`,
  )
  return `${lines.join('')}memory of ten times as much: ${(large.peakMegabytes / small.peakMegabytes).toFixed(2)}\n`
}
