import { Directory, type DirectoryKind } from '../domain/directories/directory.ts'
import { get, list as listOf } from '../domain/directories/read-directories.ts'
import { textFilter } from '../values/filters.ts'
import { data, list } from './envelope.ts'
import { operation } from './operation.ts'

/** The operations that read directories of any kind (A26), apart from those that change them: reads load less. */

export const collection = (kind: DirectoryKind) => `/${kind}_directories` as const
export const item = (kind: DirectoryKind) => `/${kind}_directories/{id}` as const

/** The name of each kind in summaries; `one` has its article. */
export const titles: Record<DirectoryKind, { one: string; many: string }> = {
  suite: { one: 'a suite directory', many: 'suite directories' },
  tenant: { one: 'a tenant directory', many: 'tenant directories' },
  idp: { one: 'an identity provider directory', many: 'identity provider directories' },
}

export const listDirectories = (kind: DirectoryKind) =>
  operation(
    {
      method: 'GET',
      path: collection(kind),
      summary: `List the ${titles[kind].many}`,
      permission: 'directories:read',
      filters: { name: textFilter },
      response: list(Directory(kind)),
    },
    ({ accountId, page }) => listOf(kind, accountId, page),
  )

export const getDirectory = (kind: DirectoryKind) =>
  operation(
    {
      method: 'GET',
      path: item(kind),
      summary: `Show ${titles[kind].one}`,
      permission: 'directories:read',
      response: data(Directory(kind)),
    },
    ({ accountId, params }) => get(kind, accountId, params.id),
  )
