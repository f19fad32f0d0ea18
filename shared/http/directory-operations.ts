import {
  Directory,
  DirectoryFields,
  type DirectoryKind,
  DirectoryWithKey,
  NewDirectoryFields,
} from '../domain/directories/directory.ts'
import * as directories from '../domain/directories/store.ts'
import { textFilter } from '../values/filters.ts'
import { data, list } from './envelope.ts'
import { type Operation, operation } from './operation.ts'

/** The operations that every kind of directory has (A26), each with the paths and fields of its kind. */

const collection = (kind: DirectoryKind) => `/${kind}_directories` as const
const item = (kind: DirectoryKind) => `/${kind}_directories/{id}` as const
const envelope = (kind: DirectoryKind) => `${kind}_directory`

/** The name of each kind in summaries; `one` has its article. */
const titles: Record<DirectoryKind, { one: string; many: string }> = {
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
    ({ accountId, page }) => directories.list(kind, accountId, page),
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
    ({ accountId, params }) => directories.get(kind, accountId, params.id),
  )

export const createDirectory = (kind: DirectoryKind) =>
  operation(
    {
      method: 'POST',
      path: collection(kind),
      summary: `Create ${titles[kind].one}`,
      permission: 'directories:write',
      body: { envelope: envelope(kind), fields: NewDirectoryFields(kind) },
      refusals: ['feature_not_enabled'],
      response: data(DirectoryWithKey(kind)),
      status: 201,
      location: ({ data }) => `${collection(kind)}/${data.id}`,
    },
    ({ author, draft }) => directories.create(kind, author, draft),
  )

/** `etagFrom` is the operation that shows the directory. */
export const updateDirectory = (kind: DirectoryKind, etagFrom: Operation) =>
  operation(
    {
      method: 'PATCH',
      alias: 'PUT',
      path: item(kind),
      summary: `Change ${titles[kind].one}`,
      permission: 'directories:write',
      etagFrom,
      body: { envelope: envelope(kind), fields: DirectoryFields(kind) },
      refusals: ['feature_not_enabled'],
      response: data(DirectoryWithKey(kind)),
    },
    ({ author, params, draft }) => directories.update(kind, author, params.id, draft),
  )

export const deleteDirectory = (kind: DirectoryKind, etagFrom: Operation) =>
  operation(
    {
      method: 'DELETE',
      path: item(kind),
      summary: `Delete ${titles[kind].one} with its groups, identities and actors`,
      permission: 'directories:write',
      etagFrom,
      refusals: ['own_actor', 'last_admin'],
      response: data(Directory(kind)),
    },
    ({ author, params }) => directories.remove(kind, author, params.id),
  )
