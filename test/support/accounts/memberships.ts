import { handler as editMemberships } from '#functions/api/memberships/edit-memberships.ts'
import { handler as listMemberships } from '#functions/api/memberships/list-memberships.ts'
import { handler as replaceMemberships } from '#functions/api/memberships/replace-memberships.ts'
import { newAccount } from './account.ts'
import { actorsApi, groupsApi } from './collections.ts'

export type MembershipWorld = Awaited<ReturnType<typeof newMembershipWorld>>

export const entries = (...ids: unknown[]) => ids.map((actor_id) => ({ actor_id }))

/** Creates an account with an actor of each kind: Ann, a user; Robot, a service account; Pipeline, an API client. */
export async function newMembershipWorld() {
  const account = await newAccount()
  const everyone: string = (await groupsApi.list(account, { name: 'Everyone' })).body.data[0].id
  const actor = async (fields: object): Promise<string> => (await actorsApi.create(account, fields)).body.data.id
  const a = await actor({ name: 'Ann', type: 'account_user', email: 'ann@example.com' })
  const b = await actor({ name: 'Robot', type: 'service_account' })
  const c = await actor({ name: 'Pipeline', type: 'api_client' })
  let count = 0
  return {
    account,
    everyone,
    a,
    b,
    c,
    newGroup: async (): Promise<string> => (await groupsApi.create(account, { name: `Group ${count++}` })).body.data.id,
    list: (group_id: string, query = {}) => account.call(listMemberships, { params: { group_id }, query }),
    put: (group_id: string, memberships: unknown) =>
      account.call(replaceMemberships, { method: 'PUT', params: { group_id }, body: { memberships } }),
    patch: (group_id: string, memberships: unknown) =>
      account.call(editMemberships, { method: 'PATCH', params: { group_id }, body: { memberships } }),
  }
}
