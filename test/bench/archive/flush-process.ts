import { flushAccount } from '#shared/archive/flush-account.ts'
import { verifyArchive } from '#shared/archive/verify-archive.ts'
import { cpuUnit, measureCpu, secondOfCpu } from '#test/support/largest/cpu-cost.ts'
import { peakMegabytes } from '../measure/peak-megabytes.ts'
import { whenDue } from './flush-usage.ts'

// Runs in a separate process, so that the memory of planting is not measured.
const [work, account = '', hour] = process.argv.slice(2)
process.stdout.write = () => true

/** Seconds of CPU on a quiet machine, and peak memory. `rows` and `again`, the peak of a second run, are those of a verification. */
export type ProcessReport = { seconds: number; megabytes: number; rows: number; again: number }

async function verify(): Promise<number> {
  const { rows, findings } = await verifyArchive({ account_id: account }, () => true)
  if (findings.length > 0) throw new Error(`The archive is damaged: ${JSON.stringify(findings)}`)
  return rows
}

const unit = await cpuUnit()
let rows = 0
const cpu = await measureCpu(async () => {
  if (work === 'verify') rows = await verify()
  else await whenDue(Number(hour), () => flushAccount(account, Number.POSITIVE_INFINITY))
})
const megabytes = peakMegabytes()
if (work === 'verify') await verify()
process.send?.({ seconds: cpu / unit / secondOfCpu, megabytes, rows, again: peakMegabytes() } satisfies ProcessReport)
process.disconnect?.()
