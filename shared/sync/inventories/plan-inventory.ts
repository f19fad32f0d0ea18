import { hash } from 'node:crypto'
import { type MdmDeviceRow, mdmDevices } from '../../domain/mdm-devices/mdm-device.ts'
import { itemRow } from '../../table/entity.ts'
import { partition } from '../../table/keys.ts'
import { getRows, itemsOf } from '../../table/read.ts'
import { bytesOf } from '../../table/row-size.ts'
import { batches, perLookup } from '../plans/batches.ts'
import { PlanWriter } from '../plans/plan-store.ts'
import type { Planned } from '../plans/planned.ts'
import type { Chunks } from '../read/chunks.ts'
import { isStorableId } from '../read/is-storable-id.ts'
import { type CountsByObject, countChange, countsOf } from '../runs/run.ts'
import type { RunWork } from '../runs/run-work.ts'
import { inventoryObjects } from './inventory-info.ts'
import { deviceChangeOf, type InventoryEntries, type InventorySection, inventorySections } from './inventory-plan.ts'
import { type ListedDevice, mergedDevices, readInventoryRoot } from './inventory-snapshot.ts'
import {
  deviceId,
  deviceKey,
  deviceName,
  differences,
  fieldsOfRow,
  type StoredFields,
  storedFields,
} from './stored-device.ts'

/** With its names and times it is a row that can be stored. */
const mostBytes = 200_000

/** A device of the account, as much of it as tells whether it differs. */
type Own = { id: string; isOurs: boolean; content: string }

const contentOf = (fields: StoredFields): string => hash('sha1', JSON.stringify(fields), 'base64')

/**
 * Computes what separates the account from a sealed snapshot, and writes it down section by section (I7.3, I7.4). It changes
 * nothing. What it holds in memory grows with the devices, some 300 bytes each; what they are passes by.
 */
export class InventoryPlanner {
  private readonly work: RunWork
  private readonly chunks: Chunks
  private readonly writer: PlanWriter
  private readonly counts: CountsByObject = countsOf(inventoryObjects)
  private readonly devices = { lost: 0, owned: 0 }
  /** By the vendor's id; those that the snapshot has are taken out. */
  private readonly own = new Map<string, Own>()
  private changed: { id: string; fields: StoredFields }[] = []

  constructor(work: RunWork, chunks: Chunks) {
    this.work = work
    this.chunks = chunks
    this.writer = new PlanWriter(work.run, inventorySections)
  }

  async plan(): Promise<Planned & { absent: string[] }> {
    const { run } = this.work
    const root = await readInventoryRoot(this.chunks, run.root as string)
    await this.readOwn()
    run.seen.devices = 0
    for await (const device of mergedDevices(this.chunks, root)) await this.planDevice(device)
    await this.writeChanged()
    const absent = await this.planAbsent()
    return { sections: await this.writer.end(), counts: this.counts, losses: { devices: this.devices }, absent }
  }

  private async add<S extends InventorySection>(section: S, entry: InventoryEntries[S]): Promise<void> {
    await this.writer.add(section, entry)
    const { object, change } = deviceChangeOf(section, entry)
    countChange(this.counts, object, change)
  }

  private async readOwn(): Promise<void> {
    const { accountId, sourceId } = this.work
    for await (const item of itemsOf(partition(accountId, mdmDevices.name))) {
      const row = itemRow(mdmDevices, item)
      const isOurs = row.posture_provider_id === sourceId
      if (isOurs) this.devices.owned++
      const content = isOurs ? contentOf(fieldsOfRow(row)) : ''
      this.own.set(deviceKey(row.mdm_id), { id: row.id, isOurs, content })
      if (this.work.isDue) await this.work.save()
    }
  }

  private async planDevice(device: ListedDevice): Promise<void> {
    if (this.work.isDue) await this.work.save()
    const { idp_id } = device
    const own = this.own.get(deviceKey(idp_id))
    // It is there, whatever becomes of it.
    this.own.delete(deviceKey(idp_id))
    if ('unusable' in device) {
      this.skip(idp_id, null, device.unusable)
      return
    }
    const { run } = this.work
    run.seen.devices = (run.seen.devices ?? 0) + 1
    const fields = storedFields(device.fields)
    const name = deviceName(fields, idp_id)
    if (!isStorableId(idp_id)) this.skip(idp_id, name, 'invalid_id')
    else if (own?.isOurs === false) this.skip(idp_id, name, 'other_provider')
    else if (bytesOf(fields) > mostBytes) this.skip(idp_id, name, 'too_large')
    else if (!own) {
      const id = deviceId(this.work.sourceId, idp_id)
      await this.add('new', { id, mdm_id: idp_id, name, fields })
    } else if (own.content !== contentOf(fields)) {
      this.changed.push({ id: own.id, fields })
      if (this.changed.length === perLookup) await this.writeChanged()
    }
  }

  private async writeChanged(): Promise<void> {
    const { changed } = this
    this.changed = []
    const rows = await this.rows(changed.map(({ id }) => id))
    for (const [i, { id, fields }] of changed.entries()) {
      const row = rows[i]
      if (!row) continue
      const { mdm_id } = row
      await this.add('changed', {
        id,
        mdm_id,
        name: deviceName(fields, mdm_id),
        ...differences(fieldsOfRow(row), fields),
      })
    }
  }

  /** Those of this provider that the snapshot has not; their vendor's ids. */
  private async planAbsent(): Promise<string[]> {
    const ids = [...this.own.values()].flatMap(({ id, isOurs }) => (isOurs ? [id] : []))
    const absent: string[] = []
    for await (const batch of batches(ids)) {
      for (const row of await this.rows(batch)) {
        if (!row) continue
        const [{ id, mdm_id }, was] = [row, fieldsOfRow(row)]
        this.devices.lost++
        absent.push(mdm_id)
        await this.add('absent', { id, mdm_id, name: deviceName(was, mdm_id), was })
      }
      if (this.work.isDue) await this.work.save()
    }
    return absent
  }

  private rows(ids: string[]): Promise<(MdmDeviceRow | null)[]> {
    return getRows(mdmDevices, this.work.accountId, ids)
  }

  private skip(idp_id: string, name: string | null, reason: string): void {
    this.work.skip({ idp_id, name, reason })
  }
}
