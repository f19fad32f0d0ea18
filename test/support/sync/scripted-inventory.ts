import type { DeviceValue, InventoryAdapter, Skipped } from '#shared/sync/adapter.ts'

type DeviceEntry = { mdm_id: string } & Record<string, DeviceValue>

/** A paginated device inventory in memory. Tests set its devices and faults. */
export class ScriptedInventory {
  devices: DeviceEntry[] = []
  /** Entries of the lists other than `devices`, keyed by list name. */
  furtherLists: Record<string, DeviceEntry[]> = {}
  skipped: Skipped[] = []
  perPage = 2
  /** Hook before each response. Throws a fault to simulate a failure of the provider. */
  before: (list: string, position: string | null) => void | Promise<void> = () => {}
  readonly calls: string[] = []

  get adapter(): InventoryAdapter {
    return {
      lists: ['devices', ...Object.keys(this.furtherLists)],
      read: async (list, position) => {
        this.calls.push(list)
        await this.before(list, position)
        const all = list === 'devices' ? this.devices : (this.furtherLists[list] ?? [])
        const at = Number(position ?? 0)
        const isLast = at + this.perPage >= all.length
        return {
          entries: all.slice(at, at + this.perPage).map(({ mdm_id, ...fields }) => ({ mdm_id, fields })),
          skipped: isLast && list === 'devices' ? this.skipped : [],
          next: isLast ? null : String(at + this.perPage),
        }
      },
    }
  }
}
