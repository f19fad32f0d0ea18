import { recordOf } from '../../core/json/record-of.ts'
import { type DirectoryKind, type DirectoryRow, directoryKinds } from '../../domain/directories/directory.ts'
import { ProviderFault } from '../adapter.ts'
import { adapters } from '../providers/open.ts'
import { type Appliers, applyPlan } from '../runs/apply-plan.ts'
import type { PlanResult } from '../runs/plan.ts'
import type { SourceKind } from '../runs/source.ts'
import { applyEnded, applyGroups, applyJoined, applyRelinks, applyVanished } from './apply-groups.ts'
import { applyLostActors, applyLostIdentities, applyWithheld, type DirectoryStageContext } from './apply-identities.ts'
import { applyUsers } from './apply-users.ts'
import { type DirectoryEntries, directoryInfos, directorySections } from './directory-plan.ts'
import { planGroups, planMemberships, planRelinks } from './plan-groups.ts'
import { planActors, planInactive, planKnownUsers, planLostUsers, planNewUsers } from './plan-people.ts'
import { newPlanning } from './planning.ts'
import { readDirectory } from './read-directory.ts'

const appliers: Appliers<DirectoryStageContext, DirectoryEntries> = {
  inactive: { perCommit: 12, stage: (stage, entries) => applyLostIdentities(stage, entries, true) },
  withheld: { perCommit: 12, stage: applyWithheld },
  ended: { perCommit: 46, stage: applyEnded },
  users: { perCommit: 10, stage: applyUsers },
  groups: { perCommit: 18, stage: applyGroups },
  relinked: { perCommit: 12, stage: applyRelinks },
  joined: { perCommit: 46, stage: applyJoined },
  vanished: { perCommit: 4, stage: applyVanished },
  absent: { perCommit: 6, stage: (stage, entries) => applyLostIdentities(stage, entries, false) },
  actors: { perCommit: 6, stage: applyLostActors },
}

/** Plans the differences between the account and a snapshot (I4.3 to I4.6). Needs about 300 bytes of memory per person. */
async function planDirectory(...given: Parameters<typeof newPlanning>): Promise<PlanResult> {
  const planning = await newPlanning(...given)
  const { planWriter, losses } = planning
  const inactive = await planKnownUsers(planning)
  const { owned } = losses.identities
  // Rejects an empty user list if the directory owns identities, because the provider or the settings must then be wrong (I5.1).
  if (planning.people.size === 0 && owned > 0) {
    throw new ProviderFault(
      'fatal',
      `The provider returned no users, although the directory has ${owned}; nothing was changed.`,
    )
  }
  await planNewUsers(planning)
  await planInactive(planning, inactive)
  const absent = await planLostUsers(planning)
  const present = await planGroups(planning)
  await planRelinks(planning, present)
  await planMemberships(planning, present)
  await planActors(planning)
  return { ...(await planWriter.end()), losses, absent }
}

const directorySource = (kind: DirectoryKind): SourceKind<DirectoryRow> => ({
  ...directoryInfos[kind],
  open: async (row, deadline) => {
    const adapter = await adapters.directory(kind, row, deadline)
    const { issuer } = adapter
    const { matches_administrators: matchesAdministrators, domains } = row
    const rules = { issuer, provider: `${kind} ${issuer}`, matchesAdministrators }
    return {
      read: (work, last) => readDirectory(work, adapter, last),
      plan: (work) => planDirectory(work, { ...rules, domains }),
      confirm: (idpIds) => adapter.confirm(idpIds),
      apply: (work) => applyPlan(work, directoryInfos[kind], directorySections, appliers, rules),
    }
  },
})

export const directorySources = recordOf(directoryKinds, directorySource)
