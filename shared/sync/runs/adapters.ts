import type { DirectoryKind, DirectoryRow } from '../../domain/directories/directory.ts'
import type { DirectoryAdapter } from '../directory-adapter.ts'
import { openDirectory } from '../providers/open-directory.ts'

/** How runs reach the providers. Tests put companies of their own in their place. */
export const adapters = {
  directory: (kind: DirectoryKind, row: DirectoryRow): Promise<DirectoryAdapter> => openDirectory(kind, row),
}
