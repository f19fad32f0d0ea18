/** Why an entry of a provider's list cannot be used (I4.2). What is skipped is counted by these and fails no run. */
export type SkipReason =
  | 'no_email'
  | 'invalid_email'
  /** A member from outside the directory's users. */
  | 'foreign_member'
  /** A nested group of another company. */
  | 'foreign_group'
  /** It vanished while the run was reading. */
  | 'gone'
  /** A member or an assignee that is no person, such as an application. */
  | 'not_a_person'
  /** A list beside that of the devices which the credentials may not read (I7.2). */
  | 'list_not_readable'

/**
 * An entry that cannot be used. At the provider it is there: its absence from a snapshot proves nothing, and nothing that
 * it gave is taken back because of it.
 */
export type Skipped = { idp_id: string; name: string | null; reason: SkipReason }

/**
 * A part of a provider's list. Positions are opaque and valid in other processes too; null is the start, and as `next`
 * the end. Where the provider's cursors expire within minutes, an old one ends in the fault `lost_place`, and the list
 * is read again from its start. A `barren` page has a next one, and no entry that earlier pages lacked.
 */
export type Page<T> = { entries: T[]; skipped: Skipped[]; next: string | null; barren?: boolean }
