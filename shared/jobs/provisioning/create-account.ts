import { randomInt } from 'node:crypto'
import type * as v from 'valibot'
import { commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { clock, dayMicros, timestamp } from '../../core/clock.ts'
import { invalid } from '../../core/errors.ts'
import { uuidV7 } from '../../core/ids.ts'
import { recordOf } from '../../core/json/record-of.ts'
import { serviceAddress } from '../../core/service-address.ts'
import { type AccountRow, accounts, featureNames, limitNames } from '../../domain/accounts/account.ts'
import { noteLimits } from '../../domain/accounts/limited-accounts.ts'
import { reservedSlugs } from '../../domain/accounts/reserved-slugs.ts'
import { serviceGuard } from '../../domain/accounts/service-guard.ts'
import { type ActorRow, actors } from '../../domain/actors/actor.ts'
import { type MintedApiToken, mintApiToken } from '../../domain/api-tokens/mint-api-token.ts'
import { groups, nativeGroup } from '../../domain/groups/group.ts'
import { resources } from '../../domain/resources/resource.ts'
import { sites } from '../../domain/sites/site.ts'
import type { RowFields } from '../../table/entity.ts'
import { getItem } from '../../table/read.ts'
import { initialConfiguration, v0Configurations } from '../../v0/configuration/configuration.ts'
import { v0Users } from '../../v0/users/user.ts'
import type { AccountFields, AdminFields, InitialTokenFields } from './fields.ts'
import type { KeepToken } from './token-secret.ts'

const slugFrom = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 90)
    .padEnd(3, '-0')

const randomText = (length: number): string =>
  Array.from({ length }, () => 'abcdefghijklmnopqrstuvwxyz0123456789'[randomInt(36)]).join('')

async function freeSlug(given: string | null, name: string): Promise<string> {
  const slug = given ?? slugFrom(name)
  if (!reservedSlugs.includes(slug) && !(await getItem(serviceGuard('slug', slug)))) return slug
  if (given !== null) throw invalid({ slug: ['has already been taken'] })
  return `${slug}-${randomText(6)}`
}

type Input = {
  account: v.InferOutput<typeof AccountFields>
  admin: v.InferOutput<typeof AdminFields>
  token: v.InferOutput<typeof InitialTokenFields>
}

/** Makes an account with all it starts with, in one commit (A32.1). */
export function createAccount({ account, admin, token }: Input, keep: KeepToken) {
  const accountId = uuidV7(clock.now())
  let earlier: MintedApiToken | undefined
  return commit({ accountId, subject: null }, async (transaction) => {
    if (token.expires_at !== undefined && token.expires_at <= timestamp(transaction.now)) {
      throw invalid({ 'api_token.expires_at': ['must be in the future'] })
    }
    const slug = await freeSlug(account.slug ?? null, account.name)
    const key = randomText(6)
    const row = transaction.insert(accounts, { ...accountRow(account, slug, key), id: accountId })
    noteLimits(transaction, null, row)
    for (const guard of [serviceGuard('slug', slug), serviceGuard('key', key)]) {
      transaction.claim({ ...guard, kind: 'guard', account_id: accountId })
    }
    startingObjects(transaction, admin.email)
    const adminRow = transaction.insert(actors, {
      ...person,
      name: admin.name,
      email: admin.email,
      type: 'account_admin_user',
      allow_email_otp_sign_in: true,
    })
    const apiClient = transaction.insert(actors, {
      ...person,
      ...(earlier && { id: earlier.actor_id }),
      name: 'Provisioning',
      email: null,
      type: 'api_client',
      allow_email_otp_sign_in: false,
    })
    const fields = {
      name: token.name ?? null,
      scopes: token.scopes ?? ['*'],
      expires_at: token.expires_at ?? timestamp(transaction.now + 90 * dayMicros),
    }
    const apiToken = await mintApiToken(transaction, apiClient.id, fields, earlier)
    earlier = apiToken
    await keep(apiToken, accountId, slug)
    return { account: row, admin: adminRow, api_client: apiClient, api_token: apiToken }
  })
}

const person = { created_by_directory_id: null, is_disabled: false } satisfies Partial<ActorRow>

function accountRow(input: Input['account'], slug: string, key: string): RowFields<AccountRow> {
  const defaults = { api_clients_count: 100, api_tokens_per_client_count: 100 }
  return {
    slug,
    key,
    name: input.name,
    legal_name: input.legal_name ?? null,
    is_disabled: false,
    disabled_reason: null,
    delete_at: null,
    limits: {
      ...recordOf(limitNames, () => null),
      ...defaults,
      ...input.limits,
    },
    features: {
      ...recordOf(featureNames, () => true),
      ...input.features,
    },
    v0_lists: input.v0_lists ?? 'text',
  }
}

function startingObjects(transaction: Transaction, adminEmail: string): void {
  transaction.insert(groups, { ...nativeGroup, name: 'Everyone', is_managed: true })
  transaction.insert(sites, { name: 'Default', managed_by: 'account' })
  const internet = transaction.insert(sites, { name: 'Internet', managed_by: 'system' })
  transaction.insert(resources, {
    name: 'Internet',
    type: 'internet',
    address: null,
    address_description: null,
    filters: [],
    ip_stack: null,
    site_id: internet.id,
  })
  transaction.insert(v0Configurations, initialConfiguration(serviceAddress()))
  transaction.insert(v0Users, {
    role: 'admin',
    email: adminEmail,
    password_hash: null,
    last_signed_in_at: null,
    last_signed_in_method: null,
    disabled_at: null,
  })
}
