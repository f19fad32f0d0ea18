import type { DirectoryKind, DirectoryRow } from '../../domain/directories/directory.ts'
import type { PostureProviderRow } from '../../domain/posture-providers/posture-provider.ts'
import type { DirectoryAdapter } from '../directory-adapter.ts'
import type { InventoryAdapter } from '../inventory-adapter.ts'
import { openDirectory } from './open-directory.ts'
import { openInventory } from './open-inventory.ts'

/** How runs reach the providers. Tests put companies of their own in their place. */
export const adapters = {
  directory: (kind: DirectoryKind, row: DirectoryRow, deadline: number): Promise<DirectoryAdapter> =>
    openDirectory(kind, row, deadline),
  inventory: (row: PostureProviderRow, deadline: number): Promise<InventoryAdapter> => openInventory(row, deadline),
}
