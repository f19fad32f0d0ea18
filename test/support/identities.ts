import { randomUUID } from 'node:crypto'
import { type ExternalIdentityRow, externalIdentities } from '#shared/external-identities/external-identity.ts'
import { insertRow } from './rows.ts'

/** An identity of an actor, as a sign-in or a sync would have made it. */
export const insertIdentity = (accountId: string, actorId: string, fields: Partial<ExternalIdentityRow> = {}) =>
  insertRow(accountId, externalIdentities, {
    actor_id: actorId,
    account_id: accountId,
    issuer: 'https://login.example.com',
    directory_id: null,
    idp_id: randomUUID(),
    email: 'grace@example.com',
    name: 'Grace',
    given_name: null,
    middle_name: null,
    family_name: null,
    nickname: null,
    preferred_username: null,
    picture: null,
    profile: null,
    svc_avatar_url: null,
    synced_at: null,
    ...fields,
  })
