import * as v from 'valibot'
import { recordOf } from '../../core/json/record-of.ts'
import { entity, type Row } from '../../table/entity.ts'

const profileFields = [
  'email',
  'name',
  'given_name',
  'middle_name',
  'family_name',
  'nickname',
  'preferred_username',
  'picture',
  'profile',
  'svc_avatar_url',
] as const

export type ExternalIdentityRow = Row &
  v.InferOutput<typeof ExternalIdentity> & {
    /** True once a portal provider or a directory that matches administrators has vouched for the identity (I3.5). */
    opens_portal: boolean
  }

/** Value that identifies an identity in the unique set `external_identities.identity`. */
export const identityOf = (idpId: string, issuer: string): string => `${issuer}#${idpId}`

/** Value that identifies an identity in the unique set `external_identities.actor`: an actor has at most one identity per issuer. */
export const identityOfActor = (actorId: string, issuer: string): string => `${actorId}#${issuer}`

export const externalIdentities = entity<ExternalIdentityRow>({
  name: 'external_identities',
  defaults: { directory_id: null, opens_portal: false, ...recordOf(profileFields, () => null), synced_at: null },
  unique: {
    'external_identities.identity': (row) => identityOf(row.idp_id, row.issuer),
    'external_identities.actor': (row) => identityOfActor(row.actor_id, row.issuer),
  },
  indexes: {
    actor_id: { value: (row) => row.actor_id, counted: true },
    directory_id: { value: (row) => row.directory_id },
  },
  unlogged: ['synced_at'],
})

const text = v.string()
const optional = v.nullable(text)

/** External identity in API responses (A27). A null `directory_id` means that a sign-in created the identity (I3). */
export const ExternalIdentity = v.object({
  id: text,
  actor_id: text,
  account_id: text,
  issuer: text,
  directory_id: optional,
  idp_id: text,
  ...recordOf(profileFields, () => optional),
  synced_at: optional,
  inserted_at: text,
})
