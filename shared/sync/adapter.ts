import type { ProfileFields } from '../sign-in/identities/profile-fields.ts'

/** Why an entry of a provider's list is skipped (I4.2). Skips are counted by reason and fail no run. */
type SkipReason =
  | 'no_email'
  | 'invalid_email'
  /** A member from outside the directory's users. */
  | 'foreign_member'
  /** A nested group of another company. */
  | 'foreign_group'
  /** An entry that vanished while the run was reading. */
  | 'gone'
  /** A member or an assignee that is no person, such as an application. */
  | 'not_a_person'
  /** A list beside that of the devices which the credentials may not read (I7.2). */
  | 'list_not_readable'

/** An unusable entry that exists at the provider: nothing that it gave is revoked for its absence from a snapshot. */
export type Skipped = { idp_id: string; name: string | null; reason: SkipReason }

/**
 * A part of a provider's list. Positions are opaque and valid in other processes; null is the start, and as `next` the
 * end. An expired position ends in the fault `position_lost`. A `barren` page has a next one and no entry that is new.
 */
export type ProviderPage<T> = { entries: T[]; skipped: Skipped[]; next: string | null; barren?: boolean }

/**
 * The consequence for the run (I6). `retry`: the call is repeated after `retryAfterMs`. `position_lost`: the list is read
 * from its start. `object_gone`: the object is skipped with `reason`. `fatal`: the run ends and its source is disabled.
 * `transient`: the run ends.
 */
export type FaultClass = 'retry' | 'position_lost' | 'object_gone' | 'fatal' | 'transient'

type Extra = {
  retryAfterMs?: number
  reason?: Extract<SkipReason, 'gone' | 'foreign_group'>
  /** The class with which a list ends that loses its place each time. */
  finalClass?: 'fatal' | 'transient'
  /** The token of the call ended: with a new one it may be answered. */
  isTokenExpired?: boolean
  cause?: unknown
}

const maxSentenceLength = 1_000

/** A failed call of an outside service. The message is one sentence for an administrator, without secrets (I6). */
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

/** The result of a call, or `missing` where its object is gone. */
export const fallbackIfGone = <T, M>(answer: Promise<T>, fallback: M): Promise<T | M> =>
  answer.catch((error) => {
    if (isFault(error, 'object_gone')) return fallback
    throw error
  })

/** A person of the directory (I4.2). Inactive people are listed too, with or without email: that ends their access. */
export type DirectoryUser = { idp_id: string; name: string; active: boolean } & ProfileFields

export type DirectoryGroup = {
  idp_id: string
  name: string
  email: string | null
  entity_type: 'group' | 'org_unit'
  /** Changes whenever the group's members do; null where the provider has no such version. */
  membership_version: string | null
  /** Number of direct members by the provider; `members` compares it. */
  stated_members: number | null
}

/** The group whose members are read: one of the list, or one that is known by its id alone as a member of another. */
export type GroupRef =
  | Pick<DirectoryGroup, 'idp_id' | 'entity_type' | 'stated_members'>
  | { idp_id: string; nested: true }

/**
 * A member of a group. `user`: skipped as `foreign_member` unless the directory's users have it. `profile`: a user that
 * may be in no other list. `group`: a group whose members are in this one as well. `everyone`: all users.
 */
export type DirectoryMember = { user: string; profile?: DirectoryUser } | { group: string } | { everyone: true }

/**
 * Reads one directory of any kind (I4.2). Each call makes a few requests once, within the provider's limits, and renews
 * an ended token; the caller retries a `ProviderFault` as its class says. An entry may come twice.
 */
export type DirectoryAdapter = {
  readonly issuer: string
  users(position: string | null): Promise<ProviderPage<DirectoryUser>>
  groups(position: string | null): Promise<ProviderPage<DirectoryGroup>>
  members(group: GroupRef, position: string | null): Promise<ProviderPage<DirectoryMember>>
  /** Users that the provider still knows as active and assigned, queried one by one (I5.2). */
  confirm(idpIds: string[]): Promise<string[]>
}

export type DeviceValue = string | number | boolean | string[] | Record<string, unknown>[] | null

/** The fields that one list has of a device (A28.2). Texts may be longer than the stored ones. */
export type InventoryDevice = { mdm_id: string; fields: Record<string, DeviceValue> }

/** Reads one device inventory of any type (I7). The first of `lists` has all devices; others add fields by `mdm_id`. */
export type InventoryAdapter = {
  readonly lists: readonly [string, ...string[]]
  read(list: string, position: string | null): Promise<ProviderPage<InventoryDevice>>
}
