import { type MdmDeviceRow, mdmDevices } from '../../domain/mdm-devices/mdm-device.ts'
import type { PostureProviderRow } from '../../domain/posture-providers/posture-provider.ts'
import type { RowFields } from '../../table/entity.ts'
import { uniqueKey } from '../../table/keys.ts'
import { checkExistence } from '../../table/read.ts'
import { adapters } from '../providers/open.ts'
import { type Appliers, applyPlan } from '../runs/apply-plan.ts'
import { readEntryRows, type StageContext, type StagedChange, stageEach } from '../runs/plan.ts'
import type { SourceKind } from '../runs/source.ts'
import { type InventoryEntries, inventoryInfo, inventorySections } from './inventory-plan.ts'
import { planInventory } from './plan-inventory.ts'
import { readInventory } from './read-inventory.ts'
import { deviceKey } from './stored-device.ts'

/**
 * Functions that apply the sections of the plan. `perCommit` entries usually fit in a commit: a new or absent device needs three writes, a
 * changed device two.
 */
const appliers: Appliers<StageContext, InventoryEntries> = {
  changed: { perCommit: 20, stage: applyChangedDevices },
  new: { perCommit: 24, stage: applyNewDevices },
  absent: { perCommit: 24, stage: applyAbsentDevices },
}

/**
 * Inventory source (I7). Deletes absent devices without confirming each one at the provider. Only the deletion brake (I5.3) limits these
 * deletions (docs/decisions/0028).
 */
export const inventorySource: SourceKind<PostureProviderRow> = {
  ...inventoryInfo,
  onFatal: { is_verified: false },
  onSuccess: { is_verified: true },
  open: async (row, deadline) => {
    const adapter = await adapters.inventory(row, deadline)
    return {
      read: (work, last) => readInventory(work, adapter, last),
      plan: (work) => planInventory(work),
      apply: (work) => applyPlan(work, inventoryInfo, inventorySections, appliers, {}),
    }
  },
}

async function readOwnRows({ transaction, sourceId }: StageContext, entries: { id: string; mdm_id: string }[]) {
  const rows = await readEntryRows(mdmDevices, transaction.accountId, entries)
  return rows.map((row, i) =>
    row && row.posture_provider_id === sourceId && row.mdm_id === entries[i]?.mdm_id ? row : null,
  )
}

async function applyChangedDevices(stage: StageContext, entries: InventoryEntries['changed'][]): Promise<StagedChange> {
  const { transaction } = stage
  const rows = await readOwnRows(stage, entries)
  return stageEach(transaction, 'devices', entries, undefined, ({ after }, i) => {
    const row = rows[i]
    return row && transaction.update(mdmDevices, row, after as Partial<MdmDeviceRow>) !== row ? 'update' : undefined
  })
}

/** Inserts new devices. Skips devices that a different provider has inserted since planning. */
async function applyNewDevices(stage: StageContext, entries: InventoryEntries['new'][]): Promise<StagedChange> {
  const { transaction, sourceId, startedAt } = stage
  const { accountId } = transaction
  const [isTaken, rows] = await Promise.all([
    checkExistence(entries.map(({ mdm_id }) => uniqueKey(accountId, 'mdm_devices.mdm_id', deviceKey(mdm_id)))),
    readEntryRows(mdmDevices, accountId, entries),
  ])
  return stageEach(transaction, 'devices', entries, undefined, ({ id, mdm_id, name, fields }, i) => {
    if (isTaken[i] || rows[i]) return { idp_id: mdm_id, name, reason: 'other_provider' }
    const content = { ...mdmDevices.defaults, ...fields } as RowFields<MdmDeviceRow>
    const owner = { account_id: accountId, posture_provider_id: sourceId, synced_at: startedAt }
    transaction.insert(mdmDevices, { ...content, ...owner, mdm_id, id })
    return 'insert'
  })
}

async function applyAbsentDevices(stage: StageContext, entries: InventoryEntries['absent'][]): Promise<StagedChange> {
  const { transaction } = stage
  const rows = await readOwnRows(stage, entries)
  return stageEach(transaction, 'devices', rows, undefined, (row) => {
    if (!row) return
    transaction.delete(mdmDevices, row)
    return 'delete'
  })
}
