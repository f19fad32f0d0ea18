import type { Page } from '../values/page.ts'
import type { Entity, Row } from './entity.ts'
import { liveKey } from './keys.ts'
import { listRows, type Metadata, rangeOf } from './list.ts'
import { getItems, queryAttributes } from './read.ts'

type Live = Record<string, unknown>

/** What is looked at of a live item, and of its row where that has more. */
type Shown<R, T> = { live: readonly (keyof T & string)[]; row?: readonly (keyof R & string)[] }

/** Live items by the ids of their rows, and whether one can lie beyond those that were read. */
type Beside<T> = { of(id: string): T | undefined; isBeyond(id: string): boolean }

/**
 * The live items in the range of a page: each is one of a row, so as many of them as there are rows reach as far as the rows
 * do, unless a row is deleted between the two.
 */
async function besideOf<T extends Live>(
  pk: string,
  page: Page,
  attributes: readonly (keyof T & string)[],
): Promise<Beside<T>> {
  const range = await rangeOf(page)
  const live = await queryAttributes<T>(pk, range, attributes)
  const last = live.size === range.limit ? [...live.keys()].at(-1) : undefined
  return {
    of: (id) => live.get(id),
    isBeyond: (id) => last !== undefined && (range.backward ? id < last : id > last),
  }
}

const unread: Beside<never> = { of: () => undefined, isBeyond: () => true }

/**
 * A page of a collection with the live item of each row, where it has one. Of a page that no filter makes they are read by one
 * query beside that of the rows, for the bytes they have; of others one by one.
 */
export async function listWithLive<R extends Row, T extends Live>(
  entity: Entity<R>,
  account: string,
  page: Page,
  { live: attributes, row: fields }: Shown<R, T>,
  edges: Record<string, string> = page.filters,
): Promise<{ listed: { row: R; live: T | null }[]; metadata: Metadata }> {
  const isFiltered = Object.keys(edges).length > 0
  const keyOf = (id: string) => liveKey(account, entity.name, id)
  const [{ rows, metadata }, beside] = await Promise.all([
    listRows(entity, account, page, { edges, ...(fields && { fields }) }),
    isFiltered ? unread : besideOf<T>(keyOf('').pk, page, attributes),
  ])
  const others = rows.filter(({ id }) => beside.isBeyond(id)).map(({ id }) => id)
  const found = await getItems<T>(others.map(keyOf))
  const byId = new Map(others.map((id, i) => [id, found[i]]))
  return { listed: rows.map((row) => ({ row, live: beside.of(row.id) ?? byId.get(row.id) ?? null })), metadata }
}
