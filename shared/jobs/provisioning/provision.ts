import * as v from 'valibot'
import { commit } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { clock, dayMicros, timestamp } from '../../core/clock.ts'
import { ApiError, invalid, invalidAt, notFound } from '../../core/errors.ts'
import { type Fault, faultsAt, firstMessages, nestFaults } from '../../core/faults.ts'
import { isUuid } from '../../core/ids.ts'
import { isObject } from '../../core/json/is-object.ts'
import { Account, type AccountRow, accounts, stageLimitsEntry } from '../../domain/accounts/account.ts'
import { get as getAccount } from '../../domain/accounts/store.ts'
import { actors } from '../../domain/actors/actor.ts'
import { ApiTokenFields } from '../../domain/api-tokens/api-token.ts'
import { clients } from '../../domain/clients/client.ts'
import * as poolMembers from '../../domain/pool-members/store.ts'
import { Resource, resources } from '../../domain/resources/resource.ts'
import { stageAccountDisabling, stageRestOfAccountDisabling } from '../../domain/rules/disable-account.ts'
import { getRows } from '../../table/read.ts'
import { Draft, draft, type Fields } from '../../values/draft.ts'
import { tooManyKeys } from '../../values/field.ts'
import { mustBeUuid } from '../../values/fields.ts'
import { dueAccountItem, isDueForDeletion } from '../account-deletion/due-account.ts'
import { checkTokenExpiry, createAccount, provisionedToken, showActor } from './create-account.ts'
import { AccountFields, AccountUpdateFields, AdminFields, InitialTokenFields, PoolFields } from './fields.ts'

type Event = Record<string, unknown>

const week = 7 * dayMicros

/** Parses one part of the event and adds its messages to `found`. @throws ApiError `bad_request` if the part is not an object */
function part<F extends Fields>(
  found: Fault[],
  event: Event,
  name: string,
  fields: F,
  required = true,
): v.InferOutput<F> {
  const value = event[name] === undefined && !required ? {} : event[name]
  if (!isObject(value)) throw new ApiError('bad_request', `${name} must be an object.`)
  // Adds no prefix to messages about the main part. Messages about other parts are prefixed with the part's name.
  const path = name === 'account' || name === 'resource' ? [] : [name]
  const limitMessage = tooManyKeys(value)
  const { faults, fields: checked } =
    limitMessage === null
      ? draft<v.InferOutput<F>>(fields, value)
      : new Draft<v.InferOutput<F>>({}, faultsAt(['base'], [limitMessage]))
  found.push(...nestFaults(path, faults))
  // The cast is safe: `parts` throws before a missing field is used.
  return checked as v.InferOutput<F>
}

/** Parses all parts of an event. @throws ApiError `validation_failed` with the messages about all parts */
function parts<T>(read: (found: Fault[]) => T): T {
  const found: Fault[] = []
  const result = read(found)
  if (found.length > 0) throw invalid(found)
  return result
}

function uuid(event: Event, name: string): string {
  const value = event[name]
  if (typeof value !== 'string' || !isUuid(value))
    throw invalidAt([name], value === undefined ? "can't be blank" : mustBeUuid)
  return value.toLowerCase()
}

const showAccount = async (account: AccountRow) => v.parse(Account, (await getAccount(account)).data)

/** Operations of the provisioning task (A32). Their changes are logged with a null subject. */
const operations: Record<string, (event: Event) => Promise<unknown>> = {
  async create_account(event) {
    const input = parts((found) => ({
      account: part(found, event, 'account', AccountFields),
      admin: part(found, event, 'admin', AdminFields),
      token: part(found, event, 'api_token', InitialTokenFields, false),
    }))
    const token = provisionedToken(event)
    const creation = await createAccount(input, token)
    return { account: await showAccount(creation.account), admin: showActor(creation.admin), ...token.show() }
  },

  async update_account(event) {
    const changes = parts((found) => part(found, event, 'account', AccountUpdateFields))
    return { account: await showAccount(await updateAccount(uuid(event, 'account_id'), changes)) }
  },

  async delete_account(event) {
    const { delete_at = timestamp(clock.now() + week) } = draft<{ delete_at?: string }>(
      v.object({ delete_at: v.optional(ApiTokenFields.entries.expires_at) }),
      event,
    ).done()
    const account = await updateAccount(uuid(event, 'account_id'), {
      is_disabled: true,
      disabled_reason: 'deletion',
      delete_at,
    })
    return { account: await showAccount(account), delete_at }
  },

  async create_static_device_pool(event) {
    const { device_ids = [], ...fields } = parts((found) => part(found, event, 'resource', PoolFields))
    const author = { accountId: uuid(event, 'account_id'), subject: null }
    const creation = await commit(author, async (transaction) => {
      await transaction.existing(accounts, author.accountId)
      const found = await getRows(clients, author.accountId, device_ids)
      const unknown = firstMessages(device_ids, (id, i) => (found[i] === null ? `${id} does not exist` : null))
      if (unknown.length > 0) throw invalidAt(['device_ids'], ...unknown)
      const pool = transaction.insert(resources, {
        name: fields.name,
        address_description: fields.address_description ?? null,
        filters: fields.filters ?? [],
        type: 'static_device_pool',
        address: null,
        ip_stack: null,
        site_id: null,
      })
      return { pool, members: poolMembers.stageMembers(transaction, pool.id, device_ids) }
    })
    if (creation.members === 'more') await poolMembers.addPending(author, creation.pool.id)
    return { resource: v.parse(Resource, creation.pool) }
  },

  create_api_token: createApiToken,
}

async function createApiToken(event: Event) {
  const accountId = uuid(event, 'account_id')
  const actorId = event.actor_id === undefined || event.actor_id === null ? null : uuid(event, 'actor_id')
  const token = provisionedToken(event)
  await commit({ accountId, subject: null }, async (transaction) => {
    const { slug } = await transaction.existing(accounts, accountId)
    const client = actorId === null ? undefined : await transaction.get(actors, actorId)
    if (client !== undefined && client?.type !== 'api_client') throw invalidAt(['actor_id'], 'does not exist')
    const {
      name = null,
      scopes = ['*'],
      expires_at,
    } = parts((found) => part(found, event, 'api_token', ApiTokenFields))
    checkTokenExpiry(transaction, expires_at)
    await token.stage(transaction, slug, { name, scopes, expires_at }, client)
  })
  return token.show()
}

type AccountChanges = v.InferOutput<typeof AccountUpdateFields> & { delete_at?: string | null }

const updateAccount = (accountId: string, changes: AccountChanges): Promise<AccountRow> =>
  commitInParts({ accountId, subject: null }, async (transaction) => {
    const account = await transaction.get(accounts, accountId)
    if (!account || isDueForDeletion(account, timestamp(transaction.now))) throw notFound()
    // Deletes tokens that remain from when the account was disabled, so that they cannot become valid again.
    if (account.is_disabled && changes.is_disabled === false) {
      if ((await stageRestOfAccountDisabling(transaction, transaction.newId())) === 'more') return 'more'
    }
    // Enabling an account cancels a deletion that is not due yet (A32).
    const revival = changes.is_disabled === false ? { delete_at: null, disabled_reason: null } : {}
    if (changes.is_disabled === true && !account.is_disabled) await stageAccountDisabling(transaction)
    const updatedAccount = transaction.update(accounts, account, {
      ...changes,
      ...revival,
      limits: { ...account.limits, ...changes.limits },
      features: { ...account.features, ...changes.features },
    })
    stageLimitsEntry(transaction, account, updatedAccount)
    const { delete_at } = updatedAccount
    if (delete_at !== null && delete_at !== account.delete_at) transaction.put(dueAccountItem(accountId, delete_at))
    return { done: updatedAccount }
  })

/** Runs an operation of the provisioning task (A32). @throws ApiError for invalid input */
export async function provision(event: unknown): Promise<unknown> {
  if (!isObject(event)) throw new ApiError('bad_request', 'The event must be an object.')
  const limitMessage = tooManyKeys(event)
  if (limitMessage !== null) throw invalidAt(['base'], limitMessage)
  const { operation = 'create_account' } = event
  const run = typeof operation === 'string' && Object.hasOwn(operations, operation) ? operations[operation] : undefined
  if (!run) throw new ApiError('bad_request', `operation must be one of ${Object.keys(operations).join(', ')}.`)
  return run(event)
}
