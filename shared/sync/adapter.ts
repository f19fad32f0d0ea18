import type { ProfileFields } from '../sign-in/identities/profile-fields.ts'

/** Reason for skipping an entry of a provider's list (I4.2). Runs count skips by reason and do not fail on them. */
type SkipReason =
  | 'no_email'
  | 'invalid_email'
  /** A group member who is not among the directory's users. */
  | 'foreign_member'
  /** A nested group of another company. */
  | 'foreign_group'
  /** An entry that the provider deleted during the run. */
  | 'gone'
  /** A group member or an assignee that is not a person, such as an application. */
  | 'not_a_person'
  /** A list of additional device fields that the credentials may not read (I7.2). */
  | 'list_not_readable'

/** An unusable entry of a provider's list. Its object keeps its access, because runs do not treat it as absent. */
export type Skipped = { idp_id: string; name: string | null; reason: SkipReason }

/**
 * A page of a provider's list. Positions are opaque strings that stay valid in other processes. A null `position` is the start of the list,
 * and a null `next` is its end. An expired position causes the fault `position_lost`. A `barren` page has no new entry, although another
 * page follows.
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
  /** Class of the fault if every restart of the list loses its position. */
  finalClass?: 'fatal' | 'transient'
  /** True if the access token has expired, so that the call may succeed with a new one. */
  isTokenExpired?: boolean
  cause?: unknown
}

const maxSentenceLength = 1_000

/** A failed call to an external service. Its message is one sentence for an administrator, without secrets (I6). */
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

/** Returns the result of a call, or `fallback` if the provider no longer has the object. */
export const fallbackIfGone = <T, M>(answer: Promise<T>, fallback: M): Promise<T | M> =>
  answer.catch((error) => {
    if (isFault(error, 'object_gone')) return fallback
    throw error
  })

/** A person of the directory (I4.2). Inactive people are listed too, even without an email, so that their access ends. */
export type DirectoryUser = { idp_id: string; name: string; active: boolean } & ProfileFields

export type DirectoryGroup = {
  idp_id: string
  name: string
  email: string | null
  entity_type: 'group' | 'org_unit'
  /** Value that changes with the group's members; null if the provider has no such version. */
  membership_version: string | null
  /** Number of direct members that the provider reports; `members` checks its list against it. */
  stated_members: number | null
}

/** A group whose members are read. It is in the list of groups, or known only by its id as a member of another group. */
export type GroupRef =
  | Pick<DirectoryGroup, 'idp_id' | 'entity_type' | 'stated_members'>
  | { idp_id: string; nested: true }

/**
 * A member of a group. `user`: an id, skipped as `foreign_member` if the list of users lacks it. `profile`: a user who
 * may be missing from all other lists. `group`: a nested group, whose members count as members. `everyone`: all users.
 */
export type DirectoryMember = { user: string; profile?: DirectoryUser } | { group: string } | { everyone: true }

/**
 * Reader of a directory of any kind (I4.2). A call sends a few requests within the provider's limits, and renews an expired token. It does
 * not retry, because the caller handles a `ProviderFault` by its class. It may return an entry twice.
 */
export type DirectoryAdapter = {
  readonly issuer: string
  users(position: string | null): Promise<ProviderPage<DirectoryUser>>
  groups(position: string | null): Promise<ProviderPage<DirectoryGroup>>
  members(group: GroupRef, position: string | null): Promise<ProviderPage<DirectoryMember>>
  /** Queries users one by one, and returns those who are still active and assigned at the provider (I5.2). */
  confirm(idpIds: string[]): Promise<string[]>
}

export type DeviceValue = string | number | boolean | string[] | Record<string, unknown>[] | null

/** Fields of a device in one list (A28.2). Their texts may exceed the stored length. */
export type InventoryDevice = { mdm_id: string; fields: Record<string, DeviceValue> }

/**
 * Reader of a device inventory of any type (I7). The first list has all devices, and the other lists have more fields of them, by `mdm_id`.
 */
export type InventoryAdapter = {
  readonly lists: readonly [string, ...string[]]
  read(list: string, position: string | null): Promise<ProviderPage<InventoryDevice>>
}
