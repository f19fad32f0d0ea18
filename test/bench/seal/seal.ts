import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { commitItem } from '#shared/commit/commit-record.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import { sealChanges } from '#shared/seal/sealing/seal-changes.ts'
import { Lease } from '#shared/seal/sealing/sealed-state.ts'
import { accountVersionKey, commitKey, type Item } from '#shared/table/keys.ts'
import { cpuUnit, measureCpu, secondOfCpu } from '#test/support/largest/cpu-cost.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantIntoFile } from '#test/support/table/plant-items.ts'
import { prices } from '../costs/prices.ts'
import { verifyFigures } from './verify-costs.ts'
import { subject } from './write-export.ts'

const address = 'https://access.example.com'
const million = 1_000_000

/** Generates the commits and the entries of a change log of the day before. */
export function* logOf(account: string, count: number): Generator<Item> {
  const begin = clock.now() - 86_400_000_000
  for (let i = 0; i < count; i++) {
    const time = begin + i * 1_000
    const row = { id: randomUUID(), name: `Group ${i}`, inserted_at: timestamp(time), updated_at: timestamp(time) }
    const change = { object: 'groups', operation: 'insert' as const, before: null, after: row }
    const sequence = i + 1
    const record = { account_id: account, commit_id: randomUUID(), sequence, time, first_leaf: i, subject }
    yield commitItem(commitKey(account, sequence), {
      ...record,
      changes: [change],
      rows: {},
      revocations: [],
      follow_ups: [],
    })
    yield* logItems(account, 'change', logId('change', time, positionTail(0)), time, { ...change, subject, leaf: i })
  }
  yield {
    ...accountVersionKey(account),
    kind: 'account_version',
    sequence: count,
    clock: begin + count * 1_000,
    counts: {},
    leaves: count,
  }
}

/**
 * Measures sealing `count` entries with one change per commit. Also measures verifying exports with 10 and 100 times this number of
 * entries.
 */
export async function sealFigures(count: number): Promise<string> {
  const account = randomUUID()
  plantIntoFile(logOf(account, count))
  const lease = await Lease.take(account, 'changes')
  if (!lease) throw new Error('Another run has the log.')
  let cpu = 0
  const used = await measure(async () => {
    cpu = await measureCpu(() => sealChanges({ account, log: 'changes', address, lease }, Date.now() + 600_000))
  })
  const folder = join(process.env.SEAL_FOLDER ?? '', account)
  const puts = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length
  const { reads, writes } = used
  const signatures = readdirSync(join(folder, 'changes/checkpoints')).length
  const table = reads * prices.readUnit + writes * prices.writeUnit
  const others = puts * prices.objectPut + signatures * prices.signature
  // Bills one full CPU as 1,769 MB.
  const lambda = (cpu / 1e6) * 1.728 * prices.lambdaGbSecond
  const usd = ((table + others + lambda) * million) / count
  return `sealing ${count} entries: ${(cpu / 1e6).toFixed(2)} s of CPU, ${(cpu / (await cpuUnit()) / secondOfCpu).toFixed(2)} on a quiet machine, ${reads} read and ${writes} write units, ${puts} PUTs, ${signatures} signature; a million costs ${usd.toFixed(3)} USD\n${await verifyFigures(10 * count)}`
}
