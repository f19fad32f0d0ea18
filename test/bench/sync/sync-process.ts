import { directorySources } from '#shared/sync/directories/directory-source.ts'
import { adapters } from '#shared/sync/providers/open.ts'
import { workOnRun } from '#shared/sync/steps/work-on-run.ts'
import { table } from '#shared/table/table.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { peakMegabytes } from '../measure/peak-megabytes.ts'
import { type CompanySize, companyAdapter } from './sync-company.ts'

// Runs one step of a sync run in a new process, as Lambda does, so that memory and CPU are measured for this step alone.
process.stdout.write = () => true

export type StepOrder = {
  size: CompanySize
  changes: number
  syncSource: { account_id: string; collection: string; source_id: string }
  ms: number
}
export type StepReport = {
  seconds: number
  cpu: number
  reads: number
  writes: number
  megabytes: number
  /** Kinds of items that the step wrote, as named in the partition keys. */
  wrote: string[]
}

const wrote = new Set<string>()
table().middlewareStack.add(
  (next, { commandName = '' }) =>
    (args) => {
      const { Item, Key, TransactItems = [] } = args.input as Record<string, never>
      for (const write of [{ Put: { Item, Key } }, ...(TransactItems as object[])]) {
        const part = Object.values(write)[0] as { Item?: { pk: string }; Key?: { pk: string } }
        const pk = part.Item?.pk ?? (/^Get/.test(commandName) ? undefined : part.Key?.pk)
        if (pk) wrote.add(pk.split('#')[1] ?? pk)
      }
      return next(args)
    },
  { step: 'initialize', name: 'notesWrites' },
)

async function step({ size, changes, syncSource, ms }: StepOrder): Promise<StepReport> {
  adapters.directory = async () => companyAdapter(size, changes)
  const started = performance.now()
  const cpu = process.cpuUsage()
  const { reads, writes } = await measure(() => workOnRun(syncSource, directorySources.idp as never, Date.now() + ms))
  const { user, system } = process.cpuUsage(cpu)
  return {
    seconds: (performance.now() - started) / 1_000,
    cpu: (user + system) / 1e6,
    reads,
    writes,
    megabytes: peakMegabytes(),
    wrote: [...wrote].sort(),
  }
}

process.on('message', async (order: StepOrder) => {
  const report = await step(order).catch((error: Error) => ({ fault: error.stack ?? error.message }))
  process.send?.(report)
  process.disconnect()
})
process.send?.('ready')
