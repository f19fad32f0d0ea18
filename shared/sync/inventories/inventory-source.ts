import type { PostureProviderRow } from '../../domain/posture-providers/posture-provider.ts'
import { adapters } from '../adapters/adapters.ts'
import type { InventoryAdapter } from '../inventory-adapter.ts'
import type { Staged } from '../plans/staged.ts'
import { chunksOf } from '../read/source-chunks.ts'
import type { OpenSource, SourceKind } from '../sources/sync-source.ts'
import { applyAbsentDevices, applyChangedDevices, applyNewDevices, type InventoryStage } from './apply-devices.ts'
import { inventoryInfo } from './inventory-info.ts'
import { deviceChangeOf, type InventoryEntries, type InventorySection, inventorySections } from './inventory-plan.ts'
import { InventoryPlanner } from './plan-inventory.ts'
import { readInventory } from './read-inventory.ts'

/** As many as mostly fit a commit: a device that comes or goes is three writes, one that changes is its row twice. */
const perCommit: Record<InventorySection, number> = { changed: 20, new: 24, absent: 24 }

type Stagers = {
  [S in InventorySection]: (stage: InventoryStage, entries: InventoryEntries[S][]) => Promise<Staged>
}

const stagers: Stagers = { changed: applyChangedDevices, new: applyNewDevices, absent: applyAbsentDevices }

const openSource = (adapter: InventoryAdapter): OpenSource => ({
  read: (work, last) => readInventory(work, adapter, last),
  plan: (work) => new InventoryPlanner(work, chunksOf(work)).plan(),
  stage(section, transaction, { sourceId, run }, entries) {
    const stage = { transaction, sourceId, startedAt: run.started_at }
    return stagers[section as InventorySection](stage, entries as never[])
  },
})

/** Runs of device inventories (I7). Neither type can be asked for a single device, so the brake alone doubts a list. */
export const inventorySource: SourceKind<PostureProviderRow> = {
  ...inventoryInfo,
  sections: inventorySections.map((name) => ({ name, perCommit: perCommit[name] })),
  changeOf: (section, entry) => deviceChangeOf(section as InventorySection, entry as never),
  onFatal: { is_verified: false },
  onSuccess: { is_verified: true },
  open: async (row, deadline) => openSource(await adapters.inventory(row, deadline)),
}
