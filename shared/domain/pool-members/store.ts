import type { Author } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { listRows } from '../../table/list.ts'
import { getRow, getRows } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { type ClientRow, clients } from '../clients/client.ts'
import { changeMembers, edited, type Wanted, wholeSet } from '../member-sets/change-members.ts'
import type { MemberSet } from '../member-sets/member-set.ts'
import { readEdit, readWholeSet } from '../member-sets/requested-members.ts'
import { isDone, stageNextPart } from '../member-sets/set-change.ts'
import { readPresences } from '../presence/presence.ts'
import { type ResourceRow, resources } from '../resources/resource.ts'
import { type PoolMemberRow, poolMembers } from './pool-member.ts'

const pool: MemberSet<PoolMemberRow> = {
  entity: poolMembers,
  members: clients.name,
  key: 'device_id',
  envelope: 'pool_members',
  noun: 'device',
  row: (resource_id, device_id) => ({ resource_id, device_id }),
}

/** The clients of a pool with when they were last seen (A19.1). */
export async function list(account: string, resourceId: string, page: Page) {
  refuseOthers(await getRow(resources, account, resourceId))
  const { rows, metadata } = await listRows(poolMembers, account, page, { within: resourceId })
  const ids = rows.map((row) => row.device_id)
  const [members, presences] = await Promise.all([
    getRows(clients, account, ids),
    readPresences(account, 'clients', ids),
  ])
  const seen = members.flatMap((client: ClientRow | null, i) =>
    client ? [{ id: client.id, name: client.name, last_seen_at: presences[i]?.last_seen_at ?? null }] : [],
  )
  return { data: seen, metadata }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

/** The whole set as it is (A19.2). */
export const replace = (author: Author, resourceId: string, raw: unknown) =>
  change(author, resourceId, () => wholeSet(readWholeSet(pool, raw, isText)))

export const edit = (author: Author, resourceId: string, raw: unknown) =>
  change(author, resourceId, () =>
    edited(
      readEdit(pool, raw, (ids) =>
        Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? null : 'has an invalid entry',
      ),
    ),
  )

/** Stages the first members of a pool that the same commit makes, as many as have room; returns the others (A32). */
export function stageFirst(transaction: Transaction, resourceId: string, ids: string[]): string[] {
  for (const [i, id] of ids.entries()) {
    if (!transaction.hasRoom()) return ids.slice(i)
    transaction.insert(poolMembers, pool.row(resourceId, id))
  }
  return []
}

/** Below the five minutes of the provisioning function. */
const provisioningMs = 270_000

/** Adds the others, which were there when the pool was made, in as many commits as it takes (A32). */
export function addRest(author: Author, resourceId: string, ids: string[]): Promise<void> {
  const change = { leaving: [], joining: ids }
  return commitInParts<void>(
    author,
    async (transaction) => {
      refuseOthers(await transaction.get(resources, resourceId))
      await stageNextPart(transaction, pool, resourceId, change)
      return isDone(change) ? { done: undefined } : 'more'
    },
    provisioningMs,
  )
}

async function change(author: Author, resourceId: string, read: () => Wanted) {
  const check = async (transaction: Transaction) => refuseOthers(await transaction.get(resources, resourceId))
  return { data: { device_ids: await changeMembers(author, pool, resourceId, check, read) } }
}

/** @throws ApiError 404, or `not_a_device_pool` for a resource of another type */
function refuseOthers(resource: ResourceRow | null): void {
  if (!resource) throw notFound()
  if (resource.type !== 'static_device_pool') {
    throw new ApiError('not_a_device_pool', 'This resource type has no pool members.')
  }
}
