import type { RunChange } from '../runs/run.ts'
import type { StoredFields } from './stored-device.ts'

/** The sections of an inventory's plan, in the order in which they are applied (I7.3, I7.4). */
export const inventorySections = ['changed', 'new', 'absent'] as const
export type InventorySection = (typeof inventorySections)[number]

type Entry = { id: string; mdm_id: string; name: string }
/** `before` and `after` have the fields that differ: of 148, some time stamps in most runs. */
export type ChangedEntry = Entry & { before: StoredFields; after: StoredFields }
export type NewEntry = Entry & { fields: StoredFields }
export type AbsentEntry = Entry & { was: StoredFields }

export type InventoryEntries = { changed: ChangedEntry; new: NewEntry; absent: AbsentEntry }

/** What an entry of the plan says to an administrator. */
const tellers: { [S in InventorySection]: (entry: InventoryEntries[S]) => RunChange } = {
  changed: ({ mdm_id, name, before, after }) => ({
    change: 'update',
    object: 'devices',
    name,
    before: { mdm_id, ...before },
    after: { mdm_id, ...after },
  }),
  new: ({ mdm_id, name, fields }) => ({
    change: 'insert',
    object: 'devices',
    name,
    before: null,
    after: { mdm_id, ...fields },
  }),
  absent: ({ id, mdm_id, name, was }) => ({
    change: 'delete',
    object: 'devices',
    name,
    before: { id, mdm_id, ...was },
    after: null,
  }),
}

export function deviceChangeOf<S extends InventorySection>(section: S, entry: InventoryEntries[S]): RunChange {
  return tellers[section](entry)
}
