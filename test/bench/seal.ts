import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commitItem } from '#shared/commit/commit-record.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { logId, positionTail } from '#shared/logs/log-id.ts'
import { logItems } from '#shared/logs/log-store.ts'
import { canonicalJson } from '#shared/seal/canonical-json.ts'
import { checkpointText } from '#shared/seal/checkpoint.ts'
import { CompactRange } from '#shared/seal/compact-range.ts'
import { markBytes } from '#shared/seal/export-seal.ts'
import { leafHash } from '#shared/seal/merkle-hash.ts'
import { sealChanges } from '#shared/seal/seal-changes.ts'
import { Lease } from '#shared/seal/sealed-state.ts'
import { noteOf, verifierKeyText } from '#shared/seal/signed-note.ts'
import { signText, verifierKey } from '#shared/seal/signing-key.ts'
import { verifyExport } from '#shared/seal/verify-export.ts'
import { commitKey, headKey, type Item } from '#shared/table/keys.ts'
import { measure } from '#test/support/consumed-capacity.ts'
import { cpuOf, cpuUnit, secondOfCpu } from '#test/support/cpu-cost.ts'
import { plantItems } from '#test/support/plant-items.ts'
import { prices } from './prices.ts'

const address = 'https://access.example.com'
const million = 1_000_000

const subject = {
  actor_id: randomUUID(),
  actor_name: 'Ada',
  actor_type: 'account_admin_user',
  actor_email: null,
  auth_provider_id: null,
  device_id: null,
  gateway_id: null,
  token_id: randomUUID(),
  ip: '192.0.2.1',
  ip_region: null,
  ip_city: null,
  ip_lat: null,
  ip_lon: null,
  user_agent: 'bench',
}

function* logOf(account: string, count: number): Generator<Item> {
  const begin = clock.now() - 86_400_000_000
  for (let i = 0; i < count; i++) {
    const time = begin + i * 1_000
    const row = { id: randomUUID(), name: `Group ${i}`, inserted_at: timestamp(time), updated_at: timestamp(time) }
    const change = { object: 'groups', operation: 'insert' as const, before: null, after: row }
    const sequence = i + 1
    const record = { account_id: account, commit_id: randomUUID(), sequence, time, first_leaf: i, subject }
    yield commitItem(commitKey(account, sequence), { ...record, changes: [change], revocations: [], cascades: [] })
    yield* logItems(account, 'change', logId('change', time, positionTail(0)), time, { ...change, subject, leaf: i })
  }
  yield { ...headKey(account), kind: 'head', sequence: count, clock: begin + count * 1_000, counts: {}, leaves: count }
}

/** What sealing so many entries takes, one change a commit, and verifying as many in a file. */
export async function sealFigures(count: number): Promise<string> {
  const account = randomUUID()
  plantItems(logOf(account, count))
  const lease = await Lease.take(account, 'changes')
  if (!lease) throw new Error('Another run has the log.')
  let cpu = 0
  const used = await measure(async () => {
    cpu = await cpuOf(() => sealChanges({ account, log: 'changes', address, lease }, Date.now() + 600_000))
  })
  const folder = join(process.env.SEAL_FOLDER ?? '', account)
  const puts = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length
  const { reads, writes } = used
  const signatures = readdirSync(join(folder, 'changes/checkpoints')).length
  const table = reads * prices.readUnit + writes * prices.writeUnit
  const others = puts * prices.objectPut + signatures * prices.signature
  // A whole CPU is 1,769 MB.
  const lambda = (cpu / 1e6) * 1.728 * prices.lambdaGbSecond
  const usd = ((table + others + lambda) * million) / count
  return `sealing ${count} entries: ${(cpu / 1e6).toFixed(2)} s of CPU, ${(cpu / (await cpuUnit()) / secondOfCpu).toFixed(2)} on a quiet machine, ${reads} read and ${writes} write units, ${puts} PUTs, ${signatures} signature; a million costs ${usd.toFixed(3)} USD\n${await verifyFigures(20 * count)}`
}

async function verifyFigures(count: number): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-export-'))
  const file = join(dir, 'export.ndjson')
  try {
    writeFileSync(file, '')
    const range = new CompactRange()
    const marks: Buffer[] = []
    for (let i = 0, text = ''; i < count; i++) {
      const log_id = logId('change', 1_700_000_000_000_000 + i, positionTail(0))
      const after = { id: randomUUID(), name: `Group ${i}`, inserted_at: timestamp(0), updated_at: timestamp(0) }
      const common = { type: 'change', log_id, timestamp: timestamp(0), object: 'groups', operation: 'insert' }
      const entry = { ...common, before: null, after, subject, run_id: null }
      const hash = leafHash(canonicalJson(entry))
      if (i < count - 1) range.append(hash)
      marks.push(hash.subarray(0, markBytes))
      text += `${JSON.stringify(entry)}\n`
      if (i % 1_000 === 999 || i === count - 1) {
        appendFileSync(file, text)
        text = ''
      }
      if (i === count - 1) {
        const bytes = range.bytes()
        const path: string[] = []
        for (let at = bytes.length; at > 0; at -= 32) path.push(bytes.subarray(at - 32, at).toString('base64'))
        range.append(hash)
        const key = await verifierKey(address)
        const origin = `access.example.com/${randomUUID()}/changes`
        const signed = checkpointText({ origin, size: count, root: range.root(), extensions: [] })
        const first = { leaf_index: 0, path: firstPath(count, range) }
        const seal = {
          type: 'seal',
          version: 1,
          log: 'changes',
          stream: 'change',
          note: noteOf(signed, key, await signText(signed)),
          verifier_key: verifierKeyText(key),
          entries: count,
          first,
          last: { leaf_index: count - 1, path },
          leaves: Buffer.concat(marks).toString('base64'),
        }
        appendFileSync(file, `${JSON.stringify(seal)}\n`)
      }
    }
    const bytes = readFileSync(file).length
    globalThis.gc?.()
    const cpu = await cpuOf(() => verifyExport(file))
    const { rss } = process.memoryUsage()
    return `verifying ${count} entries (${Math.round(bytes / 1e6)} MB): ${Math.round((count / cpu) * 1e6)} a second of CPU, ${Math.round(rss / 1e6)} MB resident\n`
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** As many hashes as the path of the first leaf has; nothing is to its left, so none of them is looked at. */
const firstPath = (count: number, range: CompactRange): string[] =>
  Array.from({ length: Math.ceil(Math.log2(count)) }, () => range.root().toString('base64'))
