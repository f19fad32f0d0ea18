import type { Transaction } from '../../commit/transaction.ts'
import { type MdmDeviceRow, mdmDevices } from '../../domain/mdm-devices/mdm-device.ts'
import type { RowFields } from '../../table/entity.ts'
import { guardKey } from '../../table/keys.ts'
import { getRows, whichExist } from '../../table/read.ts'
import { nothingStaged, type Staged, stagedSkip } from '../plans/staged.ts'
import type { AbsentEntry, ChangedEntry, NewEntry } from './inventory-plan.ts'
import { deviceKey } from './stored-device.ts'

/** What a run of an inventory knows of itself when it stages changes. */
export type InventoryStage = { transaction: Transaction; sourceId: string; startedAt: string }

/** The devices of entries as they are now; null for one that is gone, or that is not of this provider. */
async function ownRows({ transaction, sourceId }: InventoryStage, entries: { id: string; mdm_id: string }[]) {
  const ids = entries.map(({ id }) => id)
  const rows = await getRows(mdmDevices, transaction.accountId, ids)
  return rows.map((row, i) =>
    row && row.posture_provider_id === sourceId && row.mdm_id === entries[i]?.mdm_id ? row : null,
  )
}

/** Devices that differ get the fields that do. */
export async function applyChangedDevices(stage: InventoryStage, entries: ChangedEntry[]): Promise<Staged> {
  const { transaction } = stage
  const staged = nothingStaged()
  const rows = await ownRows(stage, entries)
  for (const [i, { after }] of entries.entries()) {
    if (!transaction.hasRoom()) break
    const row = rows[i]
    if (row && transaction.update(mdmDevices, row, after as Partial<MdmDeviceRow>) !== row) {
      staged.changes.push({ object: 'devices', change: 'update' })
    }
    staged.handled++
  }
  return staged
}

/** New devices. One that another provider has brought since the plan was made is left to that. */
export async function applyNewDevices(stage: InventoryStage, entries: NewEntry[]): Promise<Staged> {
  const { transaction, sourceId, startedAt } = stage
  const { accountId } = transaction
  const staged = nothingStaged()
  const [isTaken, rows] = await Promise.all([
    whichExist(entries.map(({ mdm_id }) => guardKey(accountId, 'mdm_devices.mdm_id', deviceKey(mdm_id)))),
    getRows(
      mdmDevices,
      accountId,
      entries.map(({ id }) => id),
    ),
  ])
  for (const [i, { id, mdm_id, name, fields }] of entries.entries()) {
    if (!transaction.hasRoom()) break
    if (isTaken[i] || rows[i]) stagedSkip(staged, mdm_id, name, 'other_provider')
    else {
      const told = { ...mdmDevices.defaults, ...fields } as RowFields<MdmDeviceRow>
      const owner = { account_id: accountId, posture_provider_id: sourceId, synced_at: startedAt }
      transaction.insert(mdmDevices, { ...told, ...owner, mdm_id, id })
      staged.changes.push({ object: 'devices', change: 'insert' })
    }
    staged.handled++
  }
  return staged
}

/** Devices of this provider that the snapshot has not. */
export async function applyAbsentDevices(stage: InventoryStage, entries: AbsentEntry[]): Promise<Staged> {
  const { transaction } = stage
  const staged = nothingStaged()
  const rows = await ownRows(stage, entries)
  for (const row of rows) {
    if (!transaction.hasRoom()) break
    if (row) {
      transaction.delete(mdmDevices, row)
      staged.changes.push({ object: 'devices', change: 'delete' })
    }
    staged.handled++
  }
  return staged
}
