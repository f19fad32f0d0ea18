import type { DeviceValue, InventoryAdapter, Skipped } from '#shared/sync/adapter.ts'

type Told = { mdm_id: string } & Record<string, DeviceValue>

/** A device inventory in memory, in pages, whose devices and faults a test sets as it likes. */
export class ScriptedInventory {
  devices: Told[] = []
  /** What lists beside that of the devices tell. */
  besides: Record<string, Told[]> = {}
  skipped: Skipped[] = []
  perPage = 2
  /** Called before each answer; what it throws is what the provider does. */
  before: (list: string, position: string | null) => void | Promise<void> = () => {}
  readonly calls: string[] = []

  get adapter(): InventoryAdapter {
    return {
      lists: ['devices', ...Object.keys(this.besides)],
      read: async (list, position) => {
        this.calls.push(list)
        await this.before(list, position)
        const all = list === 'devices' ? this.devices : (this.besides[list] ?? [])
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
