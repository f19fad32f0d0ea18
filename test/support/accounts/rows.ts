import { commit } from '#shared/commit/commit.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import type { Entity, Row, RowFields } from '#shared/table/entity.ts'

/** Commits a row without calling its API operation. */
export const insertRow = <R extends Row>(
  accountId: string,
  entity: Entity<R>,
  fields: RowFields<R> & { id?: string },
): Promise<R> => commit({ accountId, subject: null }, async (transaction) => transaction.insert(entity, fields))

export const updateRow = <R extends Row>(
  accountId: string,
  entity: Entity<R>,
  row: R,
  changes: Partial<R>,
): Promise<R> => commit({ accountId, subject: null }, async (transaction) => transaction.update(entity, row, changes))

export const actorRow = {
  name: 'Robot',
  email: null,
  type: 'service_account' as const,
  allow_email_otp_sign_in: false,
  portal_scopes: null,
  created_by_directory_id: null,
  is_disabled: false,
}

/** Inserts an actor, by default a service account. For people, `fields` must contain an email address. */
export const insertActor = (accountId: string, fields: Partial<ActorRow> = {}): Promise<ActorRow> =>
  insertRow(accountId, actors, { ...actorRow, ...fields })
