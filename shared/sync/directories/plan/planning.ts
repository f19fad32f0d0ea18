import type { Chunks } from '../../read/chunks.ts'
import type { RunSkipped } from '../../runs/run.ts'
import type { RunWork } from '../../runs/run-work.ts'
import type { SnapshotRoot } from '../read/snapshot.ts'
import type { OwnIdentities } from './own-identities.ts'
import type { PlanSheet } from './plan-sheet.ts'

/** A person of the snapshot: whom it is in the account, if anybody yet; `outside` the domains of the directory. */
export type Person = { actor: string | null; state: 'active' | 'inactive' | 'unusable' | 'outside' }

/** What the steps of a plan know, and learn from each other. */
export type Planning = {
  readonly work: RunWork
  readonly chunks: Chunks
  readonly root: SnapshotRoot
  /** Kind and issuer of the directory, which groups are remembered with. */
  readonly provider: string
  /** Domains that emails of active people must be of; null for any. */
  readonly domains: string[] | null
  readonly sheet: PlanSheet
  readonly own: OwnIdentities
  /** Administrators whom the directory may not match: no identity of theirs is linked, moved or taken (A26.2(5)). */
  readonly untouchable: ReadonlySet<string>
  /** Everybody whom the snapshot names, by idp_id. */
  readonly people: Map<string, Person>
  /** Identities that become those of another person of the same email, or get another issuer. */
  readonly claimed: Set<string>
  /** Identities of administrators that a successor of the same email does not get. */
  readonly withheld: Set<string>
  /** Actors that get an identity by this run. */
  readonly linked: Set<string>
  /** Actors whose identity goes because the provider names it as not active. */
  readonly inactiveActors: Set<string>
}

/** True for an actor that keeps no identity of those planned so far, and gets none. */
export const losesIdentities = ({ own, linked }: Planning, actor: string): boolean =>
  own.countOf(actor) <= 0 && !linked.has(actor)

/** Skips a person of the snapshot, whose identity stays as it is. */
export function skipPerson(
  { work, people }: Planning,
  { idp_id, name, reason }: RunSkipped,
  actor: string | null = null,
): void {
  work.skip({ idp_id, name, reason })
  people.set(idp_id, { actor, state: 'unusable' })
}
