import { hash } from 'node:crypto'
import { actors } from '../../domain/actors/actor.ts'
import { externalIdentities } from '../../domain/external-identities/external-identity.ts'
import type { ProfileFields } from '../../sign-in/identities/profile-fields.ts'
import { itemRow } from '../../table/entity.ts'
import { indexPartition, partition } from '../../table/keys.ts'
import { itemsOf, sortKeysOf } from '../../table/read.ts'
import { openChunks } from '../read/chunks.ts'
import { PlanWriter } from '../runs/plan.ts'
import { directoryObjects } from '../runs/run.ts'
import type { RunWork } from '../runs/run-work.ts'
import { type DirectoryEntries, directoryPlan } from './directory-plan.ts'
import { profileFields, type SnapshotRoot } from './snapshot.ts'

/** A person of the snapshot with its actor, if there is one yet; `outside` the domains of the directory. */
type Person = { actor: string | null; state: 'active' | 'inactive' | 'unusable' | 'outside' }

/** The rules of a directory: `provider` is its kind and issuer, and `domains` are null for any email. */
export type DirectoryRules = {
  issuer: string
  provider: string
  /** Lets the run link, move and delete identities of administrators (A26.2(5)). */
  matchesAdministrators: boolean
}

export type Planning = Awaited<ReturnType<typeof newPlanning>>

export async function newPlanning(
  work: RunWork,
  { issuer, provider, domains, matchesAdministrators }: DirectoryRules & { domains: string[] | null },
) {
  const chunks = openChunks(work)
  const administrators = indexPartition(work.accountId, actors.name, 'type', 'account_admin_user')
  const identities = await readIdentities(work, issuer)
  return {
    work,
    chunks,
    provider,
    domains,
    identities,
    root: await chunks.root<SnapshotRoot>(work.run.root as string),
    planWriter: new PlanWriter<DirectoryEntries>(work, directoryPlan, directoryObjects),
    losses: {
      identities: { lost: 0, owned: identities.owned, inactive: 0 },
      groups: { lost: 0, owned: 0 },
      memberships: { lost: 0, owned: 0 },
    },
    /** Administrators whom the directory may not match. */
    untouchable: new Set(matchesAdministrators ? [] : await sortKeysOf(administrators)),
    people: new Map<string, Person>(),
    /** Identities that another person of the same email takes over, or that get another issuer. */
    claimed: new Set<string>(),
    /** Identities of administrators that a successor of the same email does not get. */
    withheld: new Set<string>(),
    linked: new Set<string>(),
    /** Actors whose identity goes because the provider names it as inactive. */
    inactiveActors: new Set<string>(),
  }
}

export function removeIdentity({ identities }: Planning, actor: string): void {
  identities.counts.set(actor, (identities.counts.get(actor) ?? 0) - 1)
}

/** Returns whether an actor keeps no identity and gets none, as far as is planned. */
export const keepsNoIdentity = ({ identities, linked }: Planning, actor: string): boolean =>
  (identities.counts.get(actor) ?? 0) <= 0 && !linked.has(actor)

/** The parts of an identity of the account that show whether it differs. */
export type KnownIdentity = {
  id: string
  actor: string
  owner: 'this' | 'other' | 'nobody'
  sameIssuer: boolean
  profileHash: string
  idpId: string
}

/** Identities per page: the garbage of a whole page of the table would be half of a run's memory. */
const atOnce = 250

async function readIdentities(work: RunWork, issuer: string) {
  /** Identities of the directory's issuer, by idp_id. */
  const byIdpId = new Map<string, KnownIdentity>()
  /** Identities of the directory's former issuers. */
  const stale: KnownIdentity[] = []
  /** The identity of an actor that a person of its email takes over, rather one of the directory's issuer. */
  const byActor = new Map<string, KnownIdentity>()
  const counts = new Map<string, number>()
  let owned = 0
  for await (const item of itemsOf(partition(work.accountId, externalIdentities.name), { atOnce })) {
    const row = itemRow(externalIdentities, item)
    const { id, actor_id: actor, idp_id: idpId } = row
    counts.set(actor, (counts.get(actor) ?? 0) + 1)
    const owner = row.directory_id === work.sourceId ? 'this' : row.directory_id === null ? 'nobody' : 'other'
    if (owner === 'this') owned++
    const sameIssuer = row.issuer === issuer
    if (!sameIssuer && owner !== 'this') continue
    const identity: KnownIdentity = {
      id,
      actor,
      owner,
      sameIssuer,
      profileHash: profileHash(profileFields(row)),
      idpId,
    }
    if (sameIssuer) byIdpId.set(idpId, identity)
    else stale.push(identity)
    const other = byActor.get(actor)
    if (!other || (sameIssuer && !other.sameIssuer)) byActor.set(actor, identity)
    if (work.isSaveDue) await work.save()
  }
  return { byIdpId, stale, byActor, counts, owned }
}

export const profileHash = (profile: ProfileFields): string =>
  hash('sha1', JSON.stringify(Object.entries(profile).sort()), 'base64')
