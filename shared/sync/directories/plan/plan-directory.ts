import { actors } from '../../../domain/actors/actor.ts'
import { edgePartition } from '../../../table/keys.ts'
import { sortKeysOf } from '../../../table/read.ts'
import type { Planned } from '../../plans/planned.ts'
import { ProviderFault } from '../../provider-fault.ts'
import type { Chunks } from '../../read/chunks.ts'
import type { RunWork } from '../../runs/run-work.ts'
import { readRoot } from '../read/snapshot.ts'
import { readOwnIdentities } from './own-identities.ts'
import { planActors } from './plan-actors.ts'
import { planGroups } from './plan-groups.ts'
import { planInactive } from './plan-inactive.ts'
import { planKnownUsers } from './plan-known-users.ts'
import { planLostUsers } from './plan-lost-users.ts'
import { planMemberships } from './plan-memberships.ts'
import { planNewUsers } from './plan-new-users.ts'
import { planRelinks } from './plan-relinks.ts'
import { PlanSheet } from './plan-sheet.ts'
import type { Planning } from './planning.ts'

/** Properties of a directory that decide whom its plan concerns. */
export type DirectoryRules = Pick<Planning, 'provider' | 'domains'> & { matchesAdministrators: boolean }

/**
 * Computes what separates the account from a sealed snapshot, and writes it down section by section (I4.3 to I4.6). It changes
 * nothing. What it holds in memory grows with the people, some 300 bytes each; groups and members pass by one group at a time.
 *
 * @returns also the provider's ids of owned people that the snapshot has not
 */
export async function planDirectory(
  work: RunWork,
  chunks: Chunks,
  { issuer, provider, domains, matchesAdministrators }: DirectoryRules & { issuer: string },
): Promise<Planned & { absent: string[] }> {
  const sheet = new PlanSheet(work)
  const planning: Planning = {
    work,
    chunks,
    provider,
    domains,
    root: await readRoot(chunks, work.run.root as string),
    sheet,
    own: await readOwnIdentities(work, issuer, sheet),
    untouchable: new Set(matchesAdministrators ? [] : await administratorIds(work.accountId)),
    people: new Map(),
    claimed: new Set(),
    withheld: new Set(),
    linked: new Set(),
    inactiveActors: new Set(),
  }
  const inactive = await planKnownUsers(planning)
  believeUsers(planning)
  await planNewUsers(planning)
  await planInactive(planning, inactive)
  const absent = await planLostUsers(planning)
  const present = await planGroups(planning)
  await planRelinks(planning, present)
  await planMemberships(planning, present)
  await planActors(planning)
  return { ...(await sheet.end()), absent }
}

const administratorIds = (accountId: string): Promise<string[]> =>
  sortKeysOf(edgePartition(accountId, actors.name, 'type', 'account_admin_user'))

/** A directory that had people and now has none has not been asked rightly (I5.1). */
function believeUsers({ people, sheet }: Planning): void {
  const { owned } = sheet.losses.identities
  if (people.size > 0 || owned === 0) return
  throw new ProviderFault('fatal', `The list of users was empty, where there were ${owned}; nothing was changed.`)
}
