import { type GroupRow, groups } from '../../../domain/groups/group.ts'
import { memberships } from '../../../domain/memberships/membership.ts'
import { itemRow } from '../../../table/entity.ts'
import { partition } from '../../../table/keys.ts'
import { itemsOf, sortKeysOf } from '../../../table/read.ts'
import type { RunSkipped } from '../../runs/run.ts'
import type { SnapshotGroup } from '../read/snapshot.ts'
import type { Planning } from './planning.ts'

type UsableGroup = Exclude<SnapshotGroup, { unusable: string }>

/** A group of the snapshot, and what the account has of it. */
export type PresentGroup = { group: UsableGroup; row: GroupRow | null }

/** @returns the usable groups of the snapshot, by idp_id */
export async function planGroups(planning: Planning): Promise<Map<string, PresentGroup>> {
  const { work, chunks, root, sheet, provider } = planning
  const rows = await synchronizedGroups(work.accountId)
  const present = new Map<string, PresentGroup>()
  const named = new Set<string>()
  const unusable = new Map<string, RunSkipped>()
  for await (const group of chunks.each<SnapshotGroup>(root.groups)) {
    if (named.has(group.idp_id) && present.has(group.idp_id)) continue
    named.add(group.idp_id)
    if ('unusable' in group) {
      unusable.set(group.idp_id, { idp_id: group.idp_id, name: group.name, reason: group.unusable })
      continue
    }
    const row = rows.get(group.idp_id) ?? null
    if (row && row.directory_id !== work.sourceId) {
      work.skip({ idp_id: group.idp_id, name: group.name, reason: 'other_directory' })
      continue
    }
    present.set(group.idp_id, { group, row })
    const fields = { name: group.name, email: group.email, entity_type: group.entity_type }
    const was = row && { name: row.name, email: row.email, entity_type: row.entity_type }
    const differs =
      row?.idp_provider !== provider ||
      !was ||
      was.name !== fields.name ||
      was.email !== fields.email ||
      was.entity_type !== fields.entity_type
    if (differs) await sheet.add('groups', { idp_id: group.idp_id, fields, id: row?.id ?? null, was })
  }
  for (const [id, skipped] of unusable) if (!present.has(id)) work.skip(skipped)
  work.run.seen.groups = present.size
  const owned = [...rows.values()].filter(({ directory_id }) => directory_id === work.sourceId)
  sheet.losses.groups.owned += owned.length
  await planVanished(
    planning,
    owned.filter(({ idp_id }) => !named.has(idp_id as string)),
  )
  return present
}

async function synchronizedGroups(accountId: string): Promise<Map<string, GroupRow>> {
  const found = new Map<string, GroupRow>()
  for await (const item of itemsOf(partition(accountId, groups.name))) {
    const row = itemRow(groups, item)
    if (row.idp_id !== null) found.set(row.idp_id, row)
  }
  return found
}

async function planVanished({ work, sheet }: Planning, vanished: GroupRow[]): Promise<void> {
  for (const row of vanished) {
    const members = await sortKeysOf(partition(work.accountId, memberships.name, row.id))
    sheet.losses.groups.lost++
    sheet.losses.memberships.owned += members.length
    sheet.losses.memberships.lost += members.length
    const was = { name: row.name, email: row.email, entity_type: row.entity_type }
    await sheet.add('vanished', { id: row.id, idp_id: row.idp_id as string, was })
  }
}
