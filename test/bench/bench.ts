import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadOperations } from '#functions/operations.ts'
import { bundle } from '#infra/bundle.ts'
import { pack } from '#shared/flows/packing.ts'
import startTestEngines from '#test/support/engine.ts'
import { ingestCosts, ingestTable } from './ingest.ts'
import { listCosts, listTable } from './list-costs.ts'
import { costTable, operationCosts, writeCosts } from './operation-costs.ts'

const print = process.stdout.write.bind(process.stdout)
// The service's own log lines do not belong here.
process.stdout.write = () => true

/** Seconds of CPU of the best of several runs. */
function cpu(work: () => void, runs = 7): number {
  const times = Array.from({ length: runs }, () => {
    const start = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1e6
  })
  return Math.min(...times)
}

const claims = {
  account_id: '0190a000-0000-7000-8000-000000000001',
  policy_authorization_id: '0190a000-0000-7000-8000-000000000002',
  role: 'initiator',
  uploads_enabled: true,
  iat: 1_760_000_000,
  exp: 1_790_000_000,
  initiator_device_id: '0190a000-0000-7000-8000-000000000003',
  initiator_actor_id: '0190a000-0000-7000-8000-000000000004',
  resource_id: '0190a000-0000-7000-8000-000000000005',
} as const

const reports = Array.from({ length: 10_000 }, (_, i) => ({
  protocol: 'tcp' as const,
  inner_src_ip: '100.64.0.2',
  inner_src_port: 1_024 + (i % 60_000),
  inner_dst_ip: '100.64.0.3',
  inner_dst_port: 443,
  flow_start: 1_760_000_000_000_000 + i,
  domain: 'wiki.example.com',
  closing: null,
}))

const text = JSON.stringify({ flow_logs: reports })
const parsing = cpu(() => void JSON.parse(text))
const packing = cpu(() => void pack(claims, 0, reports))
const packed = pack(claims, 0, reports).reduce((sum, { length }) => sum + length, 0)

print(`pack 10,000 reports: ${(packing / parsing).toFixed(2)} × JSON.parse of the same reports\n`)
print(
  `packed size: ${(packed / reports.length).toFixed(1)} bytes a report, ${((100 * packed) / text.length).toFixed(1)} % of its JSON\n`,
)

const stopEngines = await startTestEngines()
try {
  const costs = await operationCosts()
  print(`what an operation asks of the table:\n${costTable(costs)}`)
  if (process.argv.includes('--write')) {
    await writeCosts(costs)
    await stopEngines()
    process.exit(0)
  }
  print(`ingest:\n${ingestTable(await ingestCosts())}`)
  print(`a page of 50:\n${listTable(await listCosts(100, 20_000), 100, 20_000)}\n`)
} finally {
  await stopEngines()
}

const directory = await mkdtemp(join(tmpdir(), 'bench-bundle-'))
try {
  const operations = await loadOperations()
  await bundle(operations, directory)
  const files = (await readdir(directory, { recursive: true })).filter((file) => file.endsWith('.mjs'))
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(directory, file))).size))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  print(`bundle: ${operations.length} operations, ${(total / 1024).toFixed(0)} KB in all, minified\n`)
} finally {
  await rm(directory, { recursive: true, force: true })
}
