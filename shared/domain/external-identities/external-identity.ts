import * as v from 'valibot'
import { entity, type Row } from '../../table/entity.ts'

export type ExternalIdentityRow = Row & {
  actor_id: string
  account_id: string
  issuer: string
  /** Null when it was made by a sign-in (I3). */
  directory_id: string | null
  /** Identifier at the provider. */
  idp_id: string
  /**
   * True once a provider that opens the portal, or a directory that matches administrators, has vouched for it (I3.5).
   */
  opens_portal: boolean
  email: string | null
  name: string | null
  given_name: string | null
  middle_name: string | null
  family_name: string | null
  nickname: string | null
  preferred_username: string | null
  picture: string | null
  profile: string | null
  svc_avatar_url: string | null
  synced_at: string | null
}

/** The value of the unique set `external_identities.identity`. */
export const identityOf = (idpId: string, issuer: string): string => `${issuer}#${idpId}`

/** The value of the unique set `external_identities.actor`: an actor has one identity of an issuer. */
export const heldBy = (actorId: string, issuer: string): string => `${actorId}#${issuer}`

export const externalIdentities = entity<ExternalIdentityRow>({
  name: 'external_identities',
  defaults: {
    directory_id: null,
    opens_portal: false,
    email: null,
    name: null,
    given_name: null,
    middle_name: null,
    family_name: null,
    nickname: null,
    preferred_username: null,
    picture: null,
    profile: null,
    svc_avatar_url: null,
    synced_at: null,
  },
  unique: {
    'external_identities.identity': (row) => identityOf(row.idp_id, row.issuer),
    'external_identities.actor': (row) => heldBy(row.actor_id, row.issuer),
  },
  edges: {
    actor_id: { value: (row) => row.actor_id, counted: true },
    directory_id: { value: (row) => row.directory_id },
  },
  unlogged: ['synced_at'],
})

const text = v.string()
const optional = v.nullable(text)

/** An identity of an actor at a provider, as the API shows it (A27). */
export const ExternalIdentity = v.object({
  id: text,
  actor_id: text,
  account_id: text,
  issuer: text,
  directory_id: optional,
  idp_id: text,
  email: optional,
  name: optional,
  given_name: optional,
  middle_name: optional,
  family_name: optional,
  nickname: optional,
  preferred_username: optional,
  picture: optional,
  profile: optional,
  svc_avatar_url: optional,
  synced_at: optional,
  inserted_at: text,
})
