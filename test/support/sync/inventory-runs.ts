import { vi } from 'vitest'
import { type MdmDeviceRow, mdmDevices } from '#shared/domain/mdm-devices/mdm-device.ts'
import type { Handler } from '#shared/http/lambda.ts'
import type { InventoryAdapter } from '#shared/sync/adapter.ts'
import { inventorySource } from '#shared/sync/inventories/inventory-source.ts'
import { adapters } from '#shared/sync/providers/open.ts'
import type { Run } from '#shared/sync/runs/run.ts'
import { beginRun, readOpenRun, runsPartition, toRun } from '#shared/sync/runs/run-store.ts'
import { workOnRun } from '#shared/sync/steps/work-on-run.ts'
import { itemRow } from '#shared/table/entity.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { type Account, newAccount } from '../accounts/account.ts'
import { postureProvidersApi } from '../accounts/collections.ts'
import { handlerOf } from '../operations/operations.ts'
import { mdmFields, storedProvider } from './posture-providers.ts'
import { ScriptedInventory } from './scripted-inventory.ts'

type Fields = Record<string, unknown>

/** Creates an account with a posture provider whose inventory is in memory. The test executes the runs itself. */
export async function newInventoryWorld(given?: Account, fields: Fields = mdmFields()) {
  const account = given ?? (await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } }))
  const fleet = new ScriptedInventory()
  const { id } = (await postureProvidersApi.create(account, fields)).body.data as { id: string }
  const syncSource = { account_id: account.id, collection: inventorySource.entity.name, source_id: id }
  const row = () => storedProvider(account, id)
  const begin = async (preview = false): Promise<Run> => beginRun(inventorySource, await row(), { preview })
  const connect = (adapter: () => InventoryAdapter = () => fleet.adapter) =>
    vi.spyOn(adapters, 'inventory').mockImplementation(async () => adapter())
  const step = async (ms = 600_000): Promise<void> => {
    if (!vi.isMockFunction(adapters.inventory)) connect()
    await workOnRun(syncSource, inventorySource as never, Date.now() + ms)
  }
  const last = async (): Promise<Run> => {
    const [item] = await queryItems(runsPartition(account.id, id), { backward: true, limit: 1 })
    return toRun(item as never)
  }
  return {
    account,
    fleet,
    id,
    syncSource,
    row,
    begin,
    connect,
    step,
    last,
    open: () => readOpenRun(account.id, id),
    /** Executes a run until it finishes, and returns the finished run. */
    async run(preview = false): Promise<Run> {
      connect()
      await begin(preview)
      await step()
      return last()
    },
    /** Returns the devices of the account, sorted by the vendor's id. */
    async devices(): Promise<MdmDeviceRow[]> {
      const rows = (await queryItems(partition(account.id, mdmDevices.name))).map((item) => itemRow(mdmDevices, item))
      return rows.toSorted((a, b) => (a.mdm_id < b.mdm_id ? -1 : 1))
    },
  }
}

export type InventoryWorld = Awaited<ReturnType<typeof newInventoryWorld>>

const path = '/mdm_posture_providers/{id}'
const [sync, preview, list, changes] = await Promise.all(
  [`POST ${path}/sync`, `POST ${path}/preview`, `GET ${path}/runs`, `GET ${path}/runs/{run_id}/changes`].map(handlerOf),
)
const send =
  (handler: Handler | undefined, method: string) =>
  (account: Account, id: string, request: Parameters<Account['call']>[1] = {}) =>
    account.call(handler as Handler, { method, ...request, params: { id, ...request.params } })

/** Operations on device inventory runs (I7.1). */
export const inventoryRunsApi = {
  sync: send(sync, 'POST'),
  preview: send(preview, 'POST'),
  list: send(list, 'GET'),
  changes: (account: Account, id: string, run_id: string, request: Parameters<Account['call']>[1] = {}) =>
    send(changes, 'GET')(account, id, { ...request, params: { run_id } }),
}
