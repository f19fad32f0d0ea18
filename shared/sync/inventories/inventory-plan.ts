import {
  type PostureProviderRow,
  type PostureProviderType,
  postureProviders,
} from '../../domain/posture-providers/posture-provider.ts'
import { type PlanDescribers, runChange, type SourceInfo } from '../runs/run.ts'
import type { StoredFields } from './stored-device.ts'

type Device = { id: string; mdm_id: string; name: string }

/** Entries of an inventory plan, by section. `before` and `after` contain only the fields that differ. */
export type InventoryEntries = {
  changed: Device & { before: StoredFields; after: StoredFields }
  new: Device & { fields: StoredFields }
  absent: Device & { was: StoredFields }
}

/** Sections of an inventory's plan, in the order of application (I7.3, I7.4). */
export const inventoryPlan: PlanDescribers<InventoryEntries> = {
  changed: ({ mdm_id, name, before, after }) => runChange('devices', name, { mdm_id, ...before }, { mdm_id, ...after }),
  new: ({ mdm_id, name, fields }) => runChange('devices', name, null, { mdm_id, ...fields }),
  absent: ({ id, mdm_id, name, was }) => runChange('devices', name, { id, mdm_id, ...was }, null),
}
export const inventorySections = Object.keys(inventoryPlan)

/** Minute of every even hour (UTC) at which runs begin, chosen to fall between the directory runs (I7.1). */
const minutes: Record<PostureProviderType, number> = { mdm: 50, tenant: 10 }

export const inventoryObjects = ['devices'] as const

/** Inventory source without the code of the run phases. Operations that only begin a run do not need that code. */
export const inventoryInfo: SourceInfo<PostureProviderRow> = {
  entity: postureProviders,
  feature: 'device_posture',
  minuteOf: ({ type }) => minutes[type],
  objects: inventoryObjects,
  connectionOf: ({ type, tenant_id, client_id, subdomain, region }) =>
    JSON.stringify([type, tenant_id, client_id, subdomain, region]),
}
