import {
  type PostureProviderRow,
  type PostureProviderType,
  postureProviders,
} from '../../domain/posture-providers/posture-provider.ts'
import type { SourceInfo } from '../sources/sync-source.ts'

/** Between those of the directories (I7.1). */
const minutes: Record<PostureProviderType, number> = { mdm: 50, tenant: 10 }

/** What runs of device inventories change, as their counts name it. */
export const inventoryObjects = ['devices'] as const

/** What is known of runs of device inventories without what they do: operations that begin one load no more than this. */
export const inventoryInfo: SourceInfo<PostureProviderRow> = {
  entity: postureProviders,
  feature: 'device_posture',
  minuteOf: ({ type }) => minutes[type],
  objects: inventoryObjects,
  connectionOf: ({ type, tenant_id, client_id, subdomain, region }) =>
    JSON.stringify([type, tenant_id, client_id, subdomain, region]),
}
