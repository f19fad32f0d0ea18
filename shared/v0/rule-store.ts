import { type Author, commit } from '../commit/commit.ts'
import type { Transaction } from '../commit/transaction.ts'
import { invalid, invalidAt } from '../core/errors.ts'
import { indexPartition } from '../table/keys.ts'
import { queryItems } from '../table/read.ts'
import type { Draft } from '../values/draft.ts'
import { formatIp, parseCidr, parseIp } from '../values/ip.ts'
import type { Page } from '../values/page.ts'
import { blank, isBlank } from './messages.ts'
import { overlapsAny, ruleTargetOf, sizeCounter } from './overlap.ts'
import { findOfUser, listOfUsers } from './read-users.ts'
import { type V0RuleInput, type V0RuleRow, v0Rules } from './rule.ts'
import { v0Users } from './user.ts'

type Fields = Pick<V0RuleRow, 'action' | 'destination' | 'port_type' | 'port_range' | 'user_id'>

/**
 * Converts an address or network to its stored form (`/v0` contract, 11.2). Keeps host bits and drops a full-length mask. Returns null for
 * an invalid string.
 */
export function canonicalDestination(text: string): string | null {
  const [address = '', mask] = text.split('/')
  const ip = parseIp(address)
  if (!ip || (mask !== undefined && !parseCidr(text))) return null
  const isHost = mask === undefined || Number(mask) === (ip.family === 4 ? 32 : 128)
  return isHost ? formatIp(ip) : `${formatIp(ip)}/${mask}`
}

function checkDestination(draft: Draft<V0RuleInput>, text: string | null): string | null {
  if (draft.has('destination')) return null
  const destination = text === null || isBlank(text) ? null : canonicalDestination(text)
  if (destination === null) draft.reject('destination', isBlank(text) ? blank : 'is invalid')
  return destination
}

/** Checks that a rule has both a port type and a port range, or neither. */
function checkPorts(draft: Draft<V0RuleInput>, { port_type, port_range }: Pick<Fields, 'port_type' | 'port_range'>) {
  if (draft.has('port_type') || draft.has('port_range')) return
  if (port_type === null && port_range !== null) draft.reject('port_type', blank)
  if (port_range === null && port_type !== null) draft.reject('port_range', blank)
}

/** Checks the resulting fields of a new or changed rule (`/v0` contract, 11.2). @throws ApiError `validation_failed` */
function checkRule(draft: Draft<V0RuleInput>, rule?: V0RuleRow): Fields {
  const { action = rule?.action ?? 'drop', destination: sent, ...others } = draft.fields
  if (action === null) draft.reject('action', blank)
  const destination = rule && sent === undefined ? rule.destination : checkDestination(draft, sent ?? null)
  const { port_type = null, port_range = null, user_id = null } = { ...rule, ...others }
  checkPorts(draft, { port_type, port_range })
  if (action === null || destination === null) throw invalid(draft.faults)
  draft.done()
  return { action, destination, port_type, port_range, user_id }
}

export const list = (account: string, page: Page | undefined) => listOfUsers(v0Rules, account, page, (rule) => rule)

export const get = async (account: string, id: string) => ({ data: await findOfUser(v0Rules, account, id) })

async function checkUser(transaction: Transaction, userId: string | null): Promise<void> {
  if (userId !== null && !(await transaction.get(v0Users, userId))) throw invalidAt(['user_id'], 'does not exist')
}

async function checkOverlap(transaction: Transaction, fields: Fields, except?: string): Promise<void> {
  const target = ruleTargetOf(fields)
  const pk = indexPartition(transaction.accountId, v0Rules.name, 'overlap', target.group)
  const isTaken = await overlapsAny(target, {
    read: async (range) => (await queryItems(pk, range)).map(({ sk }) => String(sk)),
    hasSize: (prefix) => transaction.count(sizeCounter({ family: target.network.family, prefix })) > 0,
    except,
  })
  if (isTaken) throw invalidAt(['destination'], 'destination overlaps with an existing rule')
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
    const rule = await findOfUser(v0Rules, author.accountId, id)
    const fields = checkRule(draft(), rule)
    if (fields.user_id !== rule.user_id) await checkUser(transaction, fields.user_id)
    const changedRule = transaction.update(v0Rules, rule, fields)
    if (changedRule !== rule) await checkOverlap(transaction, fields, rule.id)
    return { data: changedRule }
  })

export const remove = (author: Author, id: string) =>
  commit(author, async (transaction) => transaction.delete(v0Rules, await findOfUser(v0Rules, author.accountId, id)))
