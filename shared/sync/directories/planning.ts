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

/** A person in the snapshot, with the id of the existing actor, if any. State `outside`: the email is not in the directory's domains. */
type Person = { actor: string | null; state: 'active' | 'inactive' | 'unusable' | 'outside' }

/** Rules of a directory. `provider` consists of the directory's kind and issuer. */
export type DirectoryRules = {
  issuer: string
  provider: string
  /** True if the run may link, move and delete identities of administrators (A26.2(5)). */
  matchesAdministrators: boolean
}

export type Planning = Awaited<ReturnType<typeof newPlanning>>

/** Reads the account's data for planning. `domains` are the permitted email domains; null permits every domain. */
export async function newPlanning(
  work: RunWork,
  { issuer, provider, domains, matchesAdministrators }: DirectoryRules & { domains: string[] | null },
) {
  const chunks = openChunks(work)
  const withPortalAccess = [
    indexPartition(work.accountId, actors.name, 'type', 'account_admin_user'),
    indexPartition(work.accountId, actors.name, 'has_portal_scopes', 'true'),
  ]
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
    /** Ids of people with portal access, whom the directory must not match (A26.2(5)). */
    untouchable: new Set(
      matchesAdministrators ? [] : (await Promise.all(withPortalAccess.map((pk) => sortKeysOf(pk)))).flat(),
    ),
    people: new Map<string, Person>(),
    /** Ids of identities that get a new subject or issuer, because a person in the snapshot has the actor's email. */
    claimed: new Set<string>(),
    /** Ids of administrators' identities that a new person with the same email must not take over. */
    withheld: new Set<string>(),
    linked: new Set<string>(),
    /** Ids of actors who lose an identity because the provider reports the person as inactive. */
    inactiveActors: new Set<string>(),
  }
}

export function removeIdentity({ identities }: Planning, actor: string): void {
  identities.counts.set(actor, (identities.counts.get(actor) ?? 0) - 1)
}

export const keepsNoIdentity = ({ identities, linked }: Planning, actor: string): boolean =>
  (identities.counts.get(actor) ?? 0) <= 0 && !linked.has(actor)

/** Stored identity, reduced to the fields that planning compares. `owner` is this directory, another directory or nobody. */
export type KnownIdentity = {
  id: string
  actor: string
  owner: 'this' | 'other' | 'nobody'
  sameIssuer: boolean
  profileHash: string
  idpId: string
}

/** Number of identities per query. Full pages of DynamoDB would need half of a run's memory. */
const atOnce = 250

async function readIdentities(work: RunWork, issuer: string) {
  /** Identities with the directory's issuer, by `idp_id`. */
  const byIdpId = new Map<string, KnownIdentity>()
  /** Identities of this directory whose issuer is a former issuer of the directory. */
  const stale: KnownIdentity[] = []
  /** The identity, by actor, that a person with the same email takes over. Identities with the directory's issuer are preferred. */
  const byActor = new Map<string, KnownIdentity>()
  const counts = new Map<string, number>()
  let owned = 0
  for await (const item of itemsOf(partition(work.accountId, externalIdentities.name), { pageLength: atOnce })) {
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
