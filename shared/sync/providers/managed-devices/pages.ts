import type { GuardedFetch } from '../../../outside/guarded-fetch.ts'
import type { InventoryAdapter } from '../../inventory-adapter.ts'
import type { GraphConnection } from '../tenant/connection.ts'
import { graph } from '../tenant/graph.ts'
import { managedDevice, selected } from './mapping.ts'

/** Half of 2,000 requests in twenty seconds. */
const half = { perSecond: 40, burst: 200 }
const rights = ['DeviceManagementManagedDevices.Read.All']

/** Intune by Microsoft Graph (`identity-wire.md`, 1.5). */
export function managedDevices(connection: GraphConnection, fetch: GuardedFetch): InventoryAdapter {
  const api = graph(connection, fetch, rights, half)
  return {
    lists: ['devices'],
    async read(_list, position) {
      const query = { $top: '999', $select: selected }
      const { rows, next, barren } = await api.list('deviceManagement/managedDevices', query, position)
      return { entries: rows.map(managedDevice), skipped: [], next, barren }
    },
  }
}
