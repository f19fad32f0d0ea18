import { type Author, commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { invalid, notFound } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'
import { edgePartition } from '../../table/keys.ts'
import { getRow, queryItems } from '../../table/read.ts'
import type { Draft } from '../../values/draft.ts'
import type { Page } from '../../values/page.ts'
import { isGone } from '../users/gone-users.ts'
import { listOfUsers } from '../users/list-of-users.ts'
import { v0Users } from '../users/user.ts'
import { checkRule } from './check-rule.ts'
import { overlapsAny, placeOf, sizeCounter } from './overlap.ts'
import { type V0RuleInput, type V0RuleRow, v0Rules } from './rule.ts'

export async function list(account: string, page: Page | undefined) {
  const { rows, metadata } = await listOfUsers(v0Rules, account, page)
  return { data: rows, metadata }
}

/** @throws ApiError `not_found` */
async function find(account: string, id: string): Promise<V0RuleRow> {
  const rule = isUuid(id) ? await getRow(v0Rules, account, id.toLowerCase()) : null
  if (!rule || (rule.user_id !== null && (await isGone(account, rule.user_id)))) throw notFound()
  return rule
}

export const get = async (account: string, id: string) => ({ data: await find(account, id) })

async function checkUser(transaction: Transaction, userId: string | null): Promise<void> {
  if (userId !== null && !(await transaction.get(v0Users, userId))) throw invalid({ user_id: ['does not exist'] })
}

type Fields = ReturnType<typeof checkRule>

async function checkOverlap(transaction: Transaction, fields: Fields, except?: string): Promise<void> {
  const place = placeOf(fields)
  const pk = edgePartition(transaction.accountId, v0Rules.name, 'overlap', place.among)
  const isTaken = await overlapsAny(place, {
    read: async (range) => (await queryItems(pk, range)).map(({ sk }) => String(sk)),
    hasSize: (prefix) => transaction.count(sizeCounter({ family: place.network.family, prefix })) > 0,
    except,
  })
  if (isTaken) throw invalid({ destination: ['destination overlaps with an existing rule'] })
}

export const create = (author: Author, draft: () => Draft<V0RuleInput>) =>
  commit(author, async (transaction) => {
    const fields = checkRule(draft())
    await checkUser(transaction, fields.user_id)
    await checkOverlap(transaction, fields)
    return { data: transaction.insert(v0Rules, fields) }
  })

export const update = (author: Author, id: string, draft: () => Draft<V0RuleInput>) =>
  commit(author, async (transaction) => {
    const rule = await find(author.accountId, id)
    const fields = checkRule(draft(), rule)
    if (fields.user_id !== rule.user_id) await checkUser(transaction, fields.user_id)
    const changed = transaction.update(v0Rules, rule, fields)
    if (changed !== rule) await checkOverlap(transaction, fields, rule.id)
    return { data: changed }
  })

export const remove = (author: Author, id: string) =>
  commit(author, async (transaction) => transaction.delete(v0Rules, await find(author.accountId, id)))
