import {
  Directory,
  DirectoryFields,
  type DirectoryKind,
  DirectoryWithKey,
  NewDirectoryFields,
} from '../domain/directories/directory.ts'
import * as directories from '../domain/directories/store.ts'
import { collection, item, titles } from './directory-reads.ts'
import { data } from './envelope.ts'
import { type Operation, operation } from './operation.ts'

/** The operations that change directories of any kind (A26). */

const envelope = (kind: DirectoryKind) => `${kind}_directory`

export const createDirectory = (kind: DirectoryKind) =>
  operation(
    {
      method: 'POST',
      path: collection(kind),
      summary: `Create ${titles[kind].one}`,
      permission: 'directories:write',
      body: { envelope: envelope(kind), fields: NewDirectoryFields(kind) },
      refusals: ['scope_exceeded', 'feature_not_enabled'],
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
      refusals: ['scope_exceeded', 'feature_not_enabled'],
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
