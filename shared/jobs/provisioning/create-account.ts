import { randomInt } from 'node:crypto'
import * as v from 'valibot'
import { commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { createSecret } from '../../core/aws/secrets-manager.ts'
import { clock, dayMicros, timestamp } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { invalidAt } from '../../core/errors.ts'
import { uuidV7 } from '../../core/ids.ts'
import { recordOf } from '../../core/json/record-of.ts'
import { serviceAddress } from '../../core/service-address.ts'
import {
  type AccountRow,
  accounts,
  featureNames,
  limitNames,
  reservedSlugs,
  serviceUniqueKey,
  stageLimitsEntry,
} from '../../domain/accounts/account.ts'
import { Actor, type ActorRow, actors } from '../../domain/actors/actor.ts'
import { type MintedApiToken, mintApiToken, ShownApiToken } from '../../domain/api-tokens/api-token.ts'
import { groups, nativeGroup } from '../../domain/groups/group.ts'
import { resources } from '../../domain/resources/resource.ts'
import { sites } from '../../domain/sites/site.ts'
import type { RowFields } from '../../table/entity.ts'
import { getItem } from '../../table/read.ts'
import { initialConfiguration, v0Configurations } from '../../v0/configuration.ts'
import { v0Users } from '../../v0/user.ts'
import { draft } from '../../values/draft.ts'
import { OneOf } from '../../values/fields.ts'
import type { AccountFields, AdminFields, InitialTokenFields } from './fields.ts'

const slugFrom = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 90)
    .padEnd(3, '-0')

const randomText = (length: number): string =>
  Array.from({ length }, () => 'abcdefghijklmnopqrstuvwxyz0123456789'[randomInt(36)]).join('')

async function freeSlug(requestedSlug: string | null, name: string): Promise<string> {
  const slug = requestedSlug ?? slugFrom(name)
  if (!reservedSlugs.includes(slug) && !(await getItem(serviceUniqueKey('slug', slug)))) return slug
  if (requestedSlug !== null) throw invalidAt(['slug'], 'has already been taken')
  return `${slug}-${randomText(6)}`
}

type Input = {
  account: v.InferOutput<typeof AccountFields>
  admin: v.InferOutput<typeof AdminFields>
  token: v.InferOutput<typeof InitialTokenFields>
}

/** Creates an account with its initial objects in one commit (A32.1). */
export function createAccount({ account, admin, token }: Input, provisionedToken: ProvisionedToken) {
  const accountId = uuidV7(clock.now())
  return commit({ accountId, subject: null }, async (transaction) => {
    const { name = null, scopes = ['*'], expires_at = timestamp(transaction.now + 90 * dayMicros) } = token
    checkTokenExpiry(transaction, expires_at)
    const slug = await freeSlug(account.slug ?? null, account.name)
    const key = randomText(6)
    const row = transaction.insert(accounts, { ...accountRow(account, slug, key), id: accountId })
    stageLimitsEntry(transaction, null, row)
    for (const unique of [serviceUniqueKey('slug', slug), serviceUniqueKey('key', key)]) {
      transaction.claim({ ...unique, kind: 'unique', account_id: accountId })
    }
    startingObjects(transaction, admin.email)
    const adminRow = transaction.insert(actors, {
      name: admin.name,
      email: admin.email,
      type: 'account_admin_user',
      allow_email_otp_sign_in: true,
      portal_scopes: null,
      created_by_directory_id: null,
      is_disabled: false,
    })
    await provisionedToken.stage(transaction, slug, { name, scopes, expires_at })
    return { account: row, admin: adminRow }
  })
}

export function checkTokenExpiry({ now }: Transaction, expires_at: string): void {
  if (expires_at <= timestamp(now)) throw invalidAt(['api_token', 'expires_at'], 'must be in the future')
}

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
    limits: { ...recordOf(limitNames, () => null), ...defaults, ...input.limits },
    features: { ...recordOf(featureNames, () => true), ...input.features },
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

const { token: _, ...shownWithoutToken } = ShownApiToken.entries
const HiddenApiToken = v.object(shownWithoutToken)

/**
 * Creates a holder for a new token. The token's value is stored in a secret or returned in the response (A32.6).
 * @throws ApiError `validation_failed`
 */
export function provisionedToken(event: Record<string, unknown>) {
  const { token_in = 'secret' } = draft<{ token_in?: string }>(
    v.object({ token_in: v.optional(OneOf(['secret', 'answer'])) }),
    event,
  ).done()
  const { tokenSecrets } = env
  if (token_in === 'secret' && tokenSecrets === null) {
    throw invalidAt(['token_in'], 'must be answer, because this service runs without Secrets Manager')
  }
  let creation: { client: ActorRow; token: MintedApiToken; arn?: string } | undefined
  return {
    /**
     * Stages a token for a new or an existing API client. A retried commit reuses the client and the token. The secret is created before
     * the commit, so that no account can exist with an unreadable token.
     */
    async stage(transaction: Transaction, slug: string, fields: NewToken, existing?: ActorRow): Promise<void> {
      const client =
        existing ?? transaction.insert(actors, { ...newApiClient, ...(creation && { id: creation.client.id }) })
      const token = await mintApiToken(transaction, client.id, fields, creation?.token)
      creation = { client, token }
      if (token_in === 'answer' || tokenSecrets === null) return
      const { accountId } = transaction
      creation.arn = await createSecret({
        name: `${tokenSecrets.prefix}/${accountId}/${token.id}`,
        description: `An API token of the account ${slug}. Delete this secret after you have handed over the token.`,
        text: token.token,
        requestId: token.id,
        key: tokenSecrets.key,
        tags: { 'network-access:account-id': accountId, 'network-access:slug': slug },
      })
    },

    /** Renders the token, including its value or the ARN of the secret that contains the value. */
    show() {
      const { client, token, arn } = creation ?? {}
      return {
        api_client: showActor({ ...client }),
        ...(arn === undefined
          ? { api_token: v.parse(ShownApiToken, token) }
          : { api_token: v.parse(HiddenApiToken, token), token_secret_arn: arn }),
      }
    },
  }
}

type ProvisionedToken = ReturnType<typeof provisionedToken>
type NewToken = Pick<MintedApiToken, 'name' | 'scopes' | 'expires_at'>

const newApiClient = {
  name: 'Provisioning',
  email: null,
  type: 'api_client',
  allow_email_otp_sign_in: false,
  portal_scopes: null,
  created_by_directory_id: null,
  is_disabled: false,
} as const

export const showActor = (row: object) => v.parse(Actor, { ...row, last_seen_at: null })
