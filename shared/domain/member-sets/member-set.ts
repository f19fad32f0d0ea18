import type { Revocation } from '../../commit/revoke.ts'
import type { Entity, Row, RowFields } from '../../table/entity.ts'

/** A kind of set that is replaced or edited as a whole: the actors of a group (A15), the clients of a pool (A19). */
export type MemberSet<M extends Row> = {
  /** The rows of the set lie within its owner, under the member's id. */
  entity: Entity<M>
  /** The collection of those that have such a set. */
  owners: string
  /** The collection of the members. */
  members: string
  /** The key of a member in an entry, and of the row: `actor_id`. */
  key: keyof M & string
  /** The envelope, under which messages stand. */
  envelope: string
  /** The word for an id in messages: `actor`, `device`. */
  noun: string
  /** The member's part of a row. */
  row: (ownerId: string, memberId: string) => RowFields<M>
  /** The authorizations that end when a member leaves. */
  revocation?: (ownerId: string, memberId: string) => Revocation
}
