import { hash } from 'node:crypto'
import { mdmDevices } from '../../domain/mdm-devices/mdm-device.ts'
import { itemRow } from '../../table/entity.ts'
import { partition } from '../../table/keys.ts'
import { bytesOf } from '../../table/large-attributes.ts'
import { itemsOf } from '../../table/read.ts'
import { isStorableId, openChunks } from '../read/chunks.ts'
import { batches, type PlanResult, PlanWriter, readEntryRows } from '../runs/plan.ts'
import type { RunWork } from '../runs/run-work.ts'
import { type InventoryEntries, inventoryObjects, inventoryPlan } from './inventory-plan.ts'
import { type InventoryRoot, type ListedDevice, mergeDevices } from './read-inventory.ts'
import {
  deviceId,
  deviceKey,
  deviceName,
  differences,
  fieldsOfRow,
  type StoredFields,
  toStoredFields,
} from './stored-device.ts'

/** Maximum serialized size of a device's fields, in bytes, so that they fit in one row (I7.3). */
const maxBytes = 200_000

/**
 * Stored device, reduced to what planning compares. `content` is a hash of the fields; empty if the device belongs to a different provider.
 */
type StoredDevice = { id: string; isOurs: boolean; content: string }

const hashContent = (fields: StoredFields): string => hash('sha1', JSON.stringify(fields), 'base64')

/** Plans the differences between the account and a snapshot (I7.3, I7.4). Needs about 300 bytes of memory per device. */
export async function planInventory(work: RunWork): Promise<PlanResult> {
  const { run, accountId, sourceId } = work
  const chunks = openChunks(work)
  const root = await chunks.root<InventoryRoot>(run.root as string)
  const planWriter = new PlanWriter<InventoryEntries>(work, inventoryPlan, inventoryObjects)
  const devices = { lost: 0, owned: 0 }
  const owned = new Map<string, StoredDevice>()
  for await (const item of itemsOf(partition(accountId, mdmDevices.name))) {
    const row = itemRow(mdmDevices, item)
    const isOurs = row.posture_provider_id === sourceId
    if (isOurs) devices.owned++
    owned.set(deviceKey(row.mdm_id), { id: row.id, isOurs, content: isOurs ? hashContent(fieldsOfRow(row)) : '' })
    if (work.isSaveDue) await work.save()
  }

  const skip = (idp_id: string, name: string | null, reason: string) => work.skip({ idp_id, name, reason })
  async function planDevice(device: ListedDevice): Promise<{ id: string; fields: StoredFields } | null> {
    const { idp_id } = device
    const stored = owned.get(deviceKey(idp_id))
    // Removes a listed device from the map, even if its entry is unusable. Devices that remain in the map are absent.
    owned.delete(deviceKey(idp_id))
    if ('unusable' in device) {
      skip(idp_id, null, device.unusable)
      return null
    }
    run.seen.devices = (run.seen.devices ?? 0) + 1
    const fields = toStoredFields(device.fields)
    const name = deviceName(fields, idp_id)
    if (!isStorableId(idp_id)) skip(idp_id, name, 'invalid_id')
    else if (stored?.isOurs === false) skip(idp_id, name, 'other_provider')
    else if (bytesOf(fields) > maxBytes) skip(idp_id, name, 'too_large')
    else if (!stored) await planWriter.add('new', { id: deviceId(sourceId, idp_id), mdm_id: idp_id, name, fields })
    else if (stored.content !== hashContent(fields)) return { id: stored.id, fields }
    return null
  }
  async function* changedDevices() {
    for await (const device of mergeDevices(chunks, root)) {
      if (work.isSaveDue) await work.save()
      const change = await planDevice(device)
      if (change) yield change
    }
  }

  run.seen.devices = 0
  for await (const batch of batches(changedDevices())) {
    for (const [i, row] of (await readEntryRows(mdmDevices, accountId, batch)).entries()) {
      const fields = batch[i]?.fields
      if (!row || !fields) continue
      const { id, mdm_id } = row
      const entry = { id, mdm_id, name: deviceName(fields, mdm_id), ...differences(fieldsOfRow(row), fields) }
      await planWriter.add('changed', entry)
    }
  }
  const absent: string[] = []
  for await (const batch of batches([...owned.values()].filter(({ isOurs }) => isOurs))) {
    for (const row of await readEntryRows(mdmDevices, accountId, batch)) {
      if (!row) continue
      const [{ id, mdm_id }, was] = [row, fieldsOfRow(row)]
      devices.lost++
      absent.push(mdm_id)
      await planWriter.add('absent', { id, mdm_id, name: deviceName(was, mdm_id), was })
    }
    if (work.isSaveDue) await work.save()
  }
  return { ...(await planWriter.end()), losses: { devices }, absent }
}
