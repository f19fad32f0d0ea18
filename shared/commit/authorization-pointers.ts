import { type Key, partition } from '../table/keys.ts'

/** What an authorization rests on, as its item has it. A membership's id is `<group>#<actor>`; null through the managed group. */
export type Grounds = {
  id: string
  account_id: string
  policy_id: string
  resource_id: string
  client_id: string
  client_token_id: string
  membership: string | null
}

export type Ground = 'policy' | 'resource' | 'membership' | 'client' | 'client_token'

/** The partition of pointers to the authorizations that depend on an object. Those of a gateway need none: they lie under it. */
export const authorizationsBy = (account: string, by: Ground, id: string): string =>
  partition(account, `authorizations.${by}`, id)

/** At most one authorization of a client for a resource: its pointer by client is keyed by the resource. */
export const grantKey = (account: string, clientId: string, resourceId: string): Key => ({
  pk: authorizationsBy(account, 'client', clientId),
  sk: resourceId,
})

/** The keys of the items that lead to an authorization, that of its client first. They follow from what it rests on. */
export function pointerKeys({ id, account_id: account, ...grounds }: Grounds): [Key, ...Key[]] {
  const by = (ground: Exclude<Ground, 'client'>, value: string | null): Key[] =>
    value === null ? [] : [{ pk: authorizationsBy(account, ground, value), sk: id }]
  return [
    grantKey(account, grounds.client_id, grounds.resource_id),
    ...by('policy', grounds.policy_id),
    ...by('resource', grounds.resource_id),
    ...by('client_token', grounds.client_token_id),
    ...by('membership', grounds.membership),
  ]
}
