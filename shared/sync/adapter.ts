import type { ProfileFields } from '../sign-in/identities/profile-fields.ts'

/** Reason for skipping an entry of a provider's list (I4.2). Runs count skipped entries by reason and do not fail because of them. */
type SkipReason =
  | 'no_email'
  | 'invalid_email'
  /** A group member who is missing from the directory's list of users. */
  | 'foreign_member'
  /** A nested group that belongs to another company. */
  | 'foreign_group'
  /** An entry that the provider deleted during the run. */
  | 'gone'
  | 'not_a_person'
  /** A list of additional device fields that the API token cannot read (I7.2). */
  | 'list_not_readable'

/** An unusable entry of a provider's list. Runs do not treat its object as absent, so the object keeps its access. */
export type Skipped = { idp_id: string; name: string | null; reason: SkipReason }

/**
 * A page of a provider's list. `next` is the opaque position of the next page, or null on the last page, and can be used by any process.
 * Using an expired position causes the fault `position_lost`. A `barren` page has no new entries, although another page follows.
 */
export type ProviderPage<T> = { entries: T[]; skipped: Skipped[]; next: string | null; barren?: boolean }

/**
 * Reaction of the run to a fault (I6). `retry`: repeat the call after `retryAfterMs`. `position_lost`: read the list
 * from its start. `object_gone`: skip the object with `reason`. `fatal`: end the run and disable its source.
 * `transient`: end the run.
 */
export type FaultClass = 'retry' | 'position_lost' | 'object_gone' | 'fatal' | 'transient'

type Extra = {
  retryAfterMs?: number
  reason?: Extract<SkipReason, 'gone' | 'foreign_group'>
  /** Class that the fault gets once the list has been restarted the maximum number of times; `transient` by default. */
  finalClass?: 'fatal' | 'transient'
  isTokenExpired?: boolean
  cause?: unknown
}

const maxSentenceLength = 1_000

/** A failed call to an external service. The error message is one sentence for an administrator and contains no secrets (I6). */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault'
  readonly faultClass: FaultClass
  readonly retryAfterMs: number | null
  readonly reason: 'gone' | 'foreign_group'
  readonly finalClass: 'fatal' | 'transient'
  readonly isTokenExpired: boolean

  constructor(faultClass: FaultClass, sentence: string, extra: Extra = {}) {
    const short = sentence.length > maxSentenceLength ? `${sentence.slice(0, maxSentenceLength - 1)}…` : sentence
    super(short.toWellFormed(), { cause: extra.cause })
    this.faultClass = faultClass
    this.retryAfterMs = extra.retryAfterMs ?? null
    this.reason = extra.reason ?? 'gone'
    this.finalClass = extra.finalClass ?? 'transient'
    this.isTokenExpired = extra.isTokenExpired ?? false
  }
}

export const isFault = (error: unknown, faultClass: FaultClass): error is ProviderFault =>
  error instanceof ProviderFault && error.faultClass === faultClass

export const fallbackIfGone = <T, M>(answer: Promise<T>, fallback: M): Promise<T | M> =>
  answer.catch((error) => {
    if (isFault(error, 'object_gone')) return fallback
    throw error
  })

/** A person in the directory (I4.2). Includes inactive people, even without an email, so that runs can end their access. */
export type DirectoryUser = { idp_id: string; name: string; active: boolean } & ProfileFields

export type DirectoryGroup = {
  idp_id: string
  name: string
  email: string | null
  entity_type: 'group' | 'org_unit'
  /** Version that changes with the group's members; null if the provider reports none. */
  membership_version: string | null
  /**
   * Number of direct members that the provider reports; null if unknown. If the number is positive, an empty list of members is rejected.
   */
  stated_members: number | null
}

/** A group whose members are read: an entry of the list of groups, or a nested group of which only the id is available. */
export type GroupRef =
  | Pick<DirectoryGroup, 'idp_id' | 'entity_type' | 'stated_members'>
  | { idp_id: string; nested: true }

/**
 * A member of a group. `user`: id of a user, skipped as `foreign_member` if no user list contains the id. `profile`: fields of a user who
 * may be missing from the user list. `group`: id of a nested group. `everyone`: all users.
 */
export type DirectoryMember = { user: string; profile?: DirectoryUser } | { group: string } | { everyone: true }

/**
 * Reader of a directory of any kind (I4.2). Each call sends a few requests within the provider's limits and renews an expired token. The
 * caller handles a `ProviderFault` by its class, including retries. Pages may repeat entries.
 */
export type DirectoryAdapter = {
  readonly issuer: string
  users(position: string | null): Promise<ProviderPage<DirectoryUser>>
  groups(position: string | null): Promise<ProviderPage<DirectoryGroup>>
  members(group: GroupRef, position: string | null): Promise<ProviderPage<DirectoryMember>>
  /** Queries the provider for these users. Returns the ids of users who are still active and assigned (I5.2). */
  confirm(idpIds: string[]): Promise<string[]>
}

export type DeviceValue = string | number | boolean | string[] | Record<string, unknown>[] | null

/** Fields of a device from one list (A28.2). Strings may exceed the maximum stored length. */
export type InventoryDevice = { mdm_id: string; fields: Record<string, DeviceValue> }

/**
 * Reader of a device inventory of any type (I7). The first list contains all devices. The other lists contain additional fields of devices,
 * by `mdm_id`.
 */
export type InventoryAdapter = {
  readonly lists: readonly [string, ...string[]]
  read(list: string, position: string | null): Promise<ProviderPage<InventoryDevice>>
}
