import { type ExternalIdentityRow, externalIdentities } from '../../../domain/external-identities/external-identity.ts'
import { itemRow } from '../../../table/entity.ts'
import { partition } from '../../../table/keys.ts'
import { getRows, itemsOf } from '../../../table/read.ts'
import type { RunWork } from '../../runs/run-work.ts'
import { profileFields } from '../read/profile.ts'
import type { PlanSheet } from './plan-sheet.ts'
import { profileHash } from './user-entry.ts'

/** An identity of the account, as much of it as tells whether it differs. */
export type Own = {
  id: string
  actor: string
  owner: 'this' | 'other' | 'nobody'
  sameIssuer: boolean
  profileHash: string
  idpId: string
}

/** What the account has of the people of a provider. */
export class OwnIdentities {
  /** By idp_id, of the directory's issuer. */
  readonly byIdpId = new Map<string, Own>()
  /** Of the directory, from when it had another issuer. */
  readonly stale: Own[] = []
  /** The identities of an actor that a person with its email takes over. */
  private readonly byActor = new Map<string, Own[]>()
  /** How many identities of any kind each actor has. */
  private readonly counts = new Map<string, number>()

  countOf(actor: string): number {
    return this.counts.get(actor) ?? 0
  }

  count(actor: string, by: 1 | -1): void {
    this.counts.set(actor, this.countOf(actor) + by)
  }

  note(own: Own): void {
    if (own.sameIssuer) this.byIdpId.set(own.idpId, own)
    else this.stale.push(own)
    const others = this.byActor.get(own.actor)
    if (others) others.push(own)
    else this.byActor.set(own.actor, [own])
  }

  /** The identity of an actor that a person of its email would take over: rather one of the directory's issuer. */
  ofActor(actor: string): Own | undefined {
    const owns = this.byActor.get(actor) ?? []
    return owns.find(({ sameIssuer }) => sameIssuer) ?? owns[0]
  }
}

/** Identities that are read at a time: the garbage of a whole page of the table would be half of what a run takes of memory. */
const atOnce = 250

/** Counts on the sheet what the directory owns. */
export async function readOwnIdentities(work: RunWork, issuer: string, sheet: PlanSheet): Promise<OwnIdentities> {
  const found = new OwnIdentities()
  for await (const item of itemsOf(partition(work.accountId, externalIdentities.name), { atOnce })) {
    const row = itemRow(externalIdentities, item)
    found.count(row.actor_id, 1)
    const owner = row.directory_id === work.sourceId ? 'this' : row.directory_id === null ? 'nobody' : 'other'
    if (owner === 'this') sheet.losses.identities.owned++
    const sameIssuer = row.issuer === issuer
    if (!sameIssuer && owner !== 'this') continue
    found.note({
      id: row.id,
      actor: row.actor_id,
      owner,
      sameIssuer,
      profileHash: profileHash(profileFields(row)),
      idpId: row.idp_id,
    })
    if (work.isDue) await work.save()
  }
  return found
}

export const identityRows = (work: RunWork, owns: Own[]): Promise<(ExternalIdentityRow | null)[]> =>
  getRows(
    externalIdentities,
    work.accountId,
    owns.map(({ id }) => id),
  )
