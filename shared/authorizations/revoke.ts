import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { table, tableName } from '../table/client.ts'
import { type Key, partition } from '../table/keys.ts'
import { getItems, queryItems } from '../table/read.ts'

/** What ended: every authorization that rests on it ends with it (A29, A30). A membership's id is `<group>#<actor>`. */
export type Revocation = {
  by: 'policy' | 'resource' | 'membership' | 'client' | 'client_token' | 'gateway'
  id: string
}

/** Where the authorizations that rest on something are found. */
export const authorizationsBy = (account: string, by: Revocation['by'], id: string): string =>
  partition(account, `authorizations.${by}`, id)

/** Deletes the authorizations that rest on what ended. Harmless to repeat. */
export async function revoke(account: string, { by, id }: Revocation): Promise<void> {
  const edges = await queryItems(authorizationsBy(account, by, id))
  const items = await getItems(edges.map((edge) => edge.row as Key))
  for (const item of items) if (item) await deleteAuthorization(item as Key & { edges: Key[] })
}

/** Deletes an authorization's item together with everything that points to it. */
export async function deleteAuthorization({ pk, sk, edges }: Key & { edges: Key[] }): Promise<void> {
  const keys = [{ pk, sk }, ...edges.map((edge) => ({ pk: edge.pk, sk: edge.sk }))]
  await table().send(
    new TransactWriteCommand({ TransactItems: keys.map((Key) => ({ Delete: { TableName: tableName(), Key } })) }),
  )
}
