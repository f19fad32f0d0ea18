import { flushAccount } from '#shared/archive/flush-account.ts'
import { archiveStore, sealStore } from '#shared/core/aws/object-store.ts'
import { clock, dayMicros, hourMicros, hourStart } from '#shared/core/clock.ts'
import { serviceAddress } from '#shared/core/service-address.ts'
import { archiveFolders } from '#shared/logs/files/file-index.ts'
import type { SealedLog } from '#shared/seal/log/sealed-log.ts'
import { sealers } from '#shared/seal/sealing/seal-logs.ts'
import { Lease } from '#shared/seal/sealing/sealed-state.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { putArchiveState, sealNoActivity, sealNothing } from '#test/support/logs/archive.ts'
import { plantBlocks } from '#test/support/table/plant-blocks.ts'
import { plantIntoFile } from '#test/support/table/plant-items.ts'
import { sum, type Usage, usageOf } from '../measure/usage.ts'
import { logOf } from '../seal/seal.ts'

/** Flows in an hour of an account with 30,000,000 flows in 30 days. */
export const flowsPerHour = Math.round(30_000_000 / 30 / 24)

/** Hour of the flows, which is not the first of a day. */
export const benchHour = (): number => Math.floor(clock.now() / dayMicros) * dayMicros - 14 * hourMicros

/** Runs `work` while the clock of the service shows the time at which an hour is due. */
export async function whenDue(hour: number, work: () => Promise<unknown>): Promise<void> {
  const { now } = clock
  clock.now = () => hour + 1.25 * hourMicros
  await work().finally(() => {
    clock.now = now
  })
}

async function sealNow(account: string, log: SealedLog): Promise<void> {
  const lease = await Lease.take(account, log)
  if (!lease) throw new Error('Another run has the log.')
  await sealers[log]({ account, log, address: serviceAddress(), lease }, Number.POSITIVE_INFINITY)
  await lease.end()
}

/** Objects of an account's archive: files and manifests, and those of the sealed log, of which checkpoints are signed. */
async function archiveObjects(account: string): Promise<{ path: string; size: number }[]> {
  const archive = await Promise.all(archiveFolders(account).map((path) => Array.fromAsync(archiveStore().list(path))))
  return [...archive.flat(), ...(await Array.fromAsync(sealStore().list(`${account}/archive/`)))]
}

const bytesOfFiles = (objects: { path: string; size: number }[]): number =>
  objects.reduce((bytes, { path, size }) => bytes + (path.endsWith('.parquet') ? size : 0), 0)

const countSignatures = (objects: { path: string }[]): number =>
  objects.filter(({ path }) => path.includes('/checkpoints/')).length

/** Usage per entry of flushing all due hours of an account, and of sealing their manifests. */
async function usageOfFlush(
  account: string,
  entries: number,
  due: number,
): Promise<{ usage: Usage; fileBytes: number }> {
  let used: Partial<Usage> = {}
  await whenDue(due, async () => {
    used = await usageOf(async () => {
      await flushAccount(account, Number.POSITIVE_INFINITY)
      await sealNow(account, 'archive')
    })
  })
  const objects = await archiveObjects(account)
  const requests = { lambdaRequests: 2, objectPuts: objects.length, signatures: countSignatures(objects) }
  const fileBytes = bytesOfFiles(objects)
  if (fileBytes === 0) throw new Error('Nothing was flushed.')
  return { usage: sum([used, 1 / entries], [requests, 1 / entries]), fileBytes: fileBytes / entries }
}

/** Plants an account with the blocks of an hour. Returns the bytes of the blocks in the table. */
export async function plantHourOfBlocks(flows: number, perRequest: number) {
  const { id: account } = await newAccount()
  const begin = benchHour()
  const bytes = plantBlocks(account, { begin, flows, perHour: flows, perRequest })
  await putArchiveState(account, begin)
  await sealNothing(account)
  return { account, begin, bytes }
}

/** Usage per flow of the flush of an hour, and the bytes of a flow in blocks and in files. */
export async function flushUsage(perRequest: number, flows = flowsPerHour) {
  const { account, begin, bytes } = await plantHourOfBlocks(flows, perRequest)
  return { ...(await usageOfFlush(account, flows, begin)), blockBytes: bytes / flows }
}

/** Usage per entry of archiving changes, whose entries are the largest besides those of flows. */
export async function changeUsage(entries: number): Promise<Usage> {
  const { id: account } = await newAccount()
  const hour = hourStart(clock.now() - dayMicros)
  plantIntoFile(logOf(account, entries))
  await sealNow(account, 'changes')
  await sealNoActivity(account)
  await putArchiveState(account, hour)
  // The entries can extend into the next hour.
  return (await usageOfFlush(account, entries, hour + hourMicros)).usage
}

/** Number of objects and signatures after a flush of an idle account. */
export async function idleObjects(): Promise<{ objects: number; signatures: number }> {
  const { id: account } = await newAccount()
  const hour = benchHour()
  await putArchiveState(account, hour - 2 * hourMicros)
  await sealNothing(account)
  await whenDue(hour, async () => {
    await flushAccount(account, Number.POSITIVE_INFINITY)
    await sealNow(account, 'archive')
  })
  const objects = await archiveObjects(account)
  return { objects: objects.length, signatures: countSignatures(objects) }
}
