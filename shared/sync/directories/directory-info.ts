import { recordOf } from '../../core/json/record-of.ts'
import {
  type DirectoryKind,
  type DirectoryRow,
  directories,
  directoryKinds,
} from '../../domain/directories/directory.ts'
import { directoryObjects } from '../runs/run.ts'
import type { SourceInfo } from '../sources/sync-source.ts'

/** Staggered over the two hours (I4.1). */
const minutes: Record<DirectoryKind, number> = { tenant: 0, suite: 20, idp: 40 }

/** Fields that decide which people are read, active and matched. A new secret changes none of that. */
const connectionOf = (row: DirectoryRow): string =>
  JSON.stringify([
    row.domains,
    row.domain,
    row.impersonation_email,
    row.group_sync_mode,
    row.orgunit_sync_enabled,
    row.client_id,
    row.idp_domain,
    row.tenant_id,
    row.email_field,
    row.sync_all_groups,
    row.matches_administrators,
  ])

const directoryInfo = (kind: DirectoryKind): SourceInfo<DirectoryRow> => ({
  entity: directories[kind],
  feature: 'idp_sync',
  minuteOf: () => minutes[kind],
  objects: directoryObjects,
  connectionOf,
})

/** What is known of runs of directories without what they do: operations that begin one load no more than this. */
export const directoryInfos = recordOf(directoryKinds, directoryInfo)
