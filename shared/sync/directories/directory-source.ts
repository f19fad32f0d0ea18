import { recordOf } from '../../core/json/record-of.ts'
import { type DirectoryKind, type DirectoryRow, directoryKinds } from '../../domain/directories/directory.ts'
import { adapters } from '../adapters/adapters.ts'
import type { DirectoryAdapter } from '../directory-adapter.ts'
import type { Staged } from '../plans/staged.ts'
import { chunksOf } from '../read/source-chunks.ts'
import type { OpenSource, SourceKind } from '../sources/sync-source.ts'
import { applyEnded, applyGroups, applyJoined, applyRelinks, applyVanished } from './apply/apply-groups.ts'
import { applyLostActors, applyLostIdentities, applyWithheld, type DirectoryStage } from './apply/apply-identities.ts'
import { applyUsers } from './apply/apply-users.ts'
import { directoryInfos } from './directory-info.ts'
import { changeOf, type DirectoryEntries, type DirectorySection, directorySections } from './plan/directory-plan.ts'
import { type DirectoryRules, planDirectory } from './plan/plan-directory.ts'
import { readDirectory } from './read/read-directory.ts'

/** Entries that one commit looks at: as many as may fit it, or few where each can take many writes of its own. */
const perCommit: Record<DirectorySection, number> = {
  inactive: 12,
  withheld: 12,
  ended: 48,
  users: 10,
  groups: 18,
  relinked: 12,
  joined: 48,
  vanished: 4,
  absent: 6,
  actors: 6,
}

type Stagers = {
  [S in DirectorySection]: (stage: DirectoryStage, entries: DirectoryEntries[S][]) => Promise<Staged>
}

const stagers: Stagers = {
  inactive: (stage, entries) => applyLostIdentities(stage, entries, true),
  withheld: applyWithheld,
  ended: applyEnded,
  users: applyUsers,
  groups: applyGroups,
  relinked: applyRelinks,
  joined: applyJoined,
  vanished: applyVanished,
  absent: (stage, entries) => applyLostIdentities(stage, entries, false),
  actors: applyLostActors,
}

const openSource = (
  { issuer, ...adapter }: DirectoryAdapter,
  { provider, domains, matchesAdministrators }: DirectoryRules,
): OpenSource => ({
  read: (work, last) => readDirectory(work, { issuer, ...adapter }, last),
  plan: (work) => planDirectory(work, chunksOf(work), { issuer, provider, domains, matchesAdministrators }),
  confirm: (idpIds) => adapter.confirm(idpIds),
  stage(section, transaction, work, entries) {
    const { sourceId, run } = work
    const stage = { transaction, sourceId, issuer, provider, startedAt: run.started_at, matchesAdministrators }
    return stagers[section as DirectorySection](stage, entries as never[])
  },
})

const directorySource = (kind: DirectoryKind): SourceKind<DirectoryRow> => ({
  ...directoryInfos[kind],
  sections: directorySections.map((name) => ({ name, perCommit: perCommit[name] })),
  changeOf: (section, entry) => changeOf(section as DirectorySection, entry as never),
  open: async (row, deadline) => {
    const adapter = await adapters.directory(kind, row, deadline)
    const { domains, matches_administrators: matchesAdministrators } = row
    return openSource(adapter, { provider: `${kind} ${adapter.issuer}`, domains, matchesAdministrators })
  },
})

export const directorySources = recordOf(directoryKinds, directorySource)
