import { type DirectoryKind, directories, directoryKinds } from '#shared/domain/directories/directory.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { getRow } from '#shared/table/read.ts'
import type { Account } from '../accounts/account.ts'
import { collectionAt, handlerOf } from '../operations/operations.ts'

type Fields = Record<string, unknown>

let count = 0
/** Functions that return valid fields for a new directory. The fields differ on each call. */
const fieldsOf: Record<DirectoryKind, () => Fields> = {
  suite: () => ({
    name: `Suite ${count++}`,
    domain: `Company-${count}.example.com`,
    impersonation_email: 'Sync@Example.COM',
    service_account_key: '{"private_key":"suite-key-0123456789"}',
  }),
  tenant: () => ({
    name: `Tenant ${count++}`,
    tenant_id: `tenant-${count}.example.com`,
    client_id: 'sync-app',
    client_secret: 'tenant-secret-0123',
  }),
  idp: () => ({ name: `Idp ${count++}`, client_id: `client-${count}`, idp_domain: 'idp.example.com' }),
}

async function directoriesOf(kind: DirectoryKind) {
  const operations = await collectionAt(`/${kind}_directories`, `${kind}_directory`)
  const create = (account: Account, fields: Fields = {}) =>
    operations.create(account, { ...fieldsOf[kind](), ...fields })
  return {
    ...operations,
    create,
    /** Creates a directory. Returns its fields without the public key, which only the first response contains. */
    createAndGet: async (account: Account) => {
      const { public_jwk: _once, ...directory } = (await create(account)).body.data
      return directory
    },
  }
}

/** Operations for every kind of directory (A26). `create` fills in missing fields with valid values. */
export const directoriesApi = Object.fromEntries(
  await Promise.all(directoryKinds.map(async (kind) => [kind, await directoriesOf(kind)] as const)),
) as Record<DirectoryKind, Awaited<ReturnType<typeof directoriesOf>>>

export async function storedDirectory(account: Account, kind: DirectoryKind, id: string) {
  const row = await getRow(directories[kind], account.id, id)
  if (!row) throw new Error('It is gone.')
  return row
}

async function runsOf(kind: DirectoryKind) {
  const base = `/${kind}_directories/{id}`
  const [sync, preview, list, changes, rewind] = await Promise.all(
    [
      `POST ${base}/sync`,
      `POST ${base}/preview`,
      `GET ${base}/runs`,
      `GET ${base}/runs/{run_id}/changes`,
      `POST ${base}/runs/{run_id}/rewind`,
    ].map(handlerOf),
  )
  const send =
    (handler: Handler | undefined, method: string) =>
    (account: Account, id: string, request: Parameters<Account['call']>[1] = {}) =>
      account.call(handler as Handler, { method, ...request, params: { id, ...request.params } })
  return {
    sync: send(sync, 'POST'),
    preview: send(preview, 'POST'),
    list: send(list, 'GET'),
    changes: (account: Account, id: string, run_id: string, request: Parameters<Account['call']>[1] = {}) =>
      send(changes, 'GET')(account, id, { ...request, params: { run_id } }),
    rewind: (account: Account, id: string, run_id: string, request: Parameters<Account['call']>[1] = {}) =>
      send(rewind, 'POST')(account, id, { ...request, params: { run_id } }),
  }
}

/** Operations on the runs of every kind of directory (I4.1). */
export const runsApi = Object.fromEntries(
  await Promise.all(directoryKinds.map(async (kind) => [kind, await runsOf(kind)] as const)),
) as Record<DirectoryKind, Awaited<ReturnType<typeof runsOf>>>
