import type { Page } from './page.ts'

export type DeviceValue = string | number | boolean | string[] | Record<string, unknown>[] | null

/** What one list tells of a device (A28.2). Texts may be longer than what is stored. */
export type InventoryDevice = { mdm_id: string; fields: Record<string, DeviceValue> }

/**
 * Reads one device inventory of any type (I7), with the rules of `DirectoryAdapter`. Which devices there are is what the
 * first of `lists` tells; each further one adds fields to them, by `mdm_id`, and entries for devices that the first does not
 * have count for nothing. A field that no list tells is null.
 */
export type InventoryAdapter = {
  readonly lists: readonly [string, ...string[]]
  read(list: string, position: string | null): Promise<Page<InventoryDevice>>
}
