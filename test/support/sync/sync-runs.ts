import { vi } from 'vitest'
import { clock, timestamp } from '#shared/core/clock.ts'
import type { ActorRow } from '#shared/domain/actors/actor.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { type DirectoryKind, type DirectoryRow, directories } from '#shared/domain/directories/directory.ts'
import { type ExternalIdentityRow, externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import { type GroupRow, groups } from '#shared/domain/groups/group.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { directorySources } from '#shared/sync/directories/directory-source.ts'
import { adapters } from '#shared/sync/providers/open.ts'
import type { Run } from '#shared/sync/runs/run.ts'
import { beginRun, openRunKey, readOpenRun, runItem, runsPartition, toRun } from '#shared/sync/runs/run-store.ts'
import { workOnRun } from '#shared/sync/steps/work-on-run.ts'
import { itemRow } from '#shared/table/entity.ts'
import { partition } from '#shared/table/keys.ts'
import { getRow, queryItems } from '#shared/table/read.ts'
import { put, remove, writeTogether } from '#shared/table/write-together.ts'
import { membersOf } from '#test/support/table/members-of.ts'
import { type Account, newAccount } from '../accounts/account.ts'
import { directoriesApi } from './directories.ts'
import { ScriptedDirectory } from './scripted-directory.ts'

export type SyncedState = {
  actors: ActorRow[]
  identities: ExternalIdentityRow[]
  groups: GroupRow[]
  /** Memberships as `<group> <actor>`, where the group is its `idp_id` or name, and the actor is its email or name. */
  memberships: string[]
}

async function stateOf(accountId: string): Promise<SyncedState> {
  const rowsOf = async <R>(name: string, read: (item: Record<string, unknown>) => R) =>
    (await queryItems(partition(accountId, name))).map(read)
  const people = await rowsOf(actors.name, (item) => itemRow(actors, item))
  const all = await rowsOf(groups.name, (item) => itemRow(groups, item))
  const emails = new Map(people.map(({ id, email, name }) => [id, email ?? name]))
  const members = await Promise.all(
    all.map(async (group) =>
      (await membersOf(accountId, memberships, group.id)).map(
        (id) => `${group.idp_id ?? group.name} ${emails.get(id) ?? `gone ${id}`}`,
      ),
    ),
  )
  return {
    actors: people,
    identities: await rowsOf(externalIdentities.name, (item) => itemRow(externalIdentities, item)),
    groups: all,
    memberships: members.flat().sort(),
  }
}

/** Creates an account with a directory whose company is in memory. The test executes the runs itself. */
export async function newSyncWorld(kind: DirectoryKind = 'idp', given?: Account) {
  const account = given ?? (await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } }))
  const company = new ScriptedDirectory()
  const directory = await directoriesApi[kind].createAndGet(account)
  const source = directorySources[kind]
  const syncSource = { account_id: account.id, collection: source.entity.name, source_id: directory.id as string }
  const row = async (): Promise<DirectoryRow> =>
    (await getRow(directories[kind], account.id, directory.id)) as DirectoryRow
  const connect = () => {
    vi.spyOn(adapters, 'directory').mockImplementation(async () => company.adapter)
  }
  const begin = async (preview = false): Promise<Run> => beginRun(source, await row(), { preview })
  const step = async (ms = 600_000): Promise<void> => {
    connect()
    await workOnRun(syncSource, source as never, Date.now() + ms)
  }
  const last = async (): Promise<Run> => {
    const [item] = await queryItems(runsPartition(account.id, directory.id), { backward: true, limit: 1 })
    return toRun(item as never)
  }
  return {
    account,
    company,
    kind,
    id: directory.id as string,
    syncSource,
    source,
    row,
    connect,
    begin,
    step,
    last,
    open: () => readOpenRun(account.id, directory.id),
    /** Executes a run until it finishes, and returns the finished run. */
    async run(preview = false): Promise<Run> {
      await begin(preview)
      await step()
      return last()
    },
    state: () => stateOf(account.id),
  }
}

export type SyncWorld = Awaited<ReturnType<typeof newSyncWorld>>

/** Removes ids and times from the rows, so that two accounts can be compared. */
export function normalize({ actors: people, identities, groups: all, memberships: members }: SyncedState) {
  const emails = new Map(people.map(({ id, email, name }) => [id, email ?? name]))
  const sorted = <T>(list: T[]) => list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return {
    actors: sorted(
      people.map(({ name, email, type, is_disabled, created_by_directory_id }) => ({
        name,
        email,
        type,
        is_disabled,
        isCreatedByDirectory: created_by_directory_id !== null,
      })),
    ),
    identities: sorted(
      identities.map(({ actor_id, idp_id, issuer, directory_id, email, name, nickname }) => ({
        actor: emails.get(actor_id),
        idp_id,
        issuer,
        email,
        name,
        nickname,
        owned: directory_id !== null,
      })),
    ),
    groups: sorted(all.map(({ idp_id, name, entity_type }) => ({ idp_id, name, entity_type }))),
    memberships: members,
  }
}

/** Stores a finished run with these fields, without executing it. */
export async function plantRun(world: Pick<SyncWorld, 'begin' | 'syncSource'>, fields: Partial<Run>): Promise<Run> {
  const run = { ...(await world.begin()), finished_at: timestamp(clock.now()), ...fields }
  const { account_id, source_id } = world.syncSource
  await writeTogether([put(runItem(run)), remove(openRunKey(account_id, source_id))])
  return run
}
