import * as v from 'valibot'
import { entity, type Row } from '../../table/entity.ts'

export const limitNames = [
  'users_count',
  'monthly_active_users_count',
  'service_accounts_count',
  'account_admin_users_count',
  'sites_count',
  'api_clients_count',
  'api_tokens_per_client_count',
  'api_refill_rate',
  'api_capacity',
  'ingest_refill_rate',
  'ingest_capacity',
] as const
export type LimitName = (typeof limitNames)[number]

export const featureNames = ['internet_resource', 'idp_sync', 'device_posture'] as const
export type FeatureName = (typeof featureNames)[number]

/** How the legacy API shows lists of addresses to this account: as comma-separated text, or as arrays (A32.5). */
export const v0Lists = ['text', 'arrays'] as const
export type V0Lists = (typeof v0Lists)[number]

export type AccountRow = Row & {
  slug: string
  key: string
  name: string
  legal_name: string | null
  is_disabled: boolean
  disabled_reason: string | null
  /** The instant at which the account is deleted with all its data; null unless its deletion was requested (A32). */
  delete_at: string | null
  limits: Record<LimitName, number | null>
  features: Record<FeatureName, boolean>
  v0_lists: V0Lists
}

export const accounts = entity<AccountRow>({
  name: 'accounts',
  defaults: { legal_name: null, is_disabled: false, disabled_reason: null, delete_at: null, v0_lists: 'text' },
})

const Usage = v.object({ used: v.number(), available: v.number(), total: v.number() })

/** An account as the API shows it (A11). */
export const Account = v.object({
  id: v.string(),
  slug: v.string(),
  key: v.string(),
  name: v.string(),
  legal_name: v.nullable(v.string()),
  limits: v.object({
    users: v.optional(Usage),
    monthly_active_users: v.optional(Usage),
    service_accounts: v.optional(Usage),
    account_admin_users: v.optional(Usage),
    sites: v.optional(Usage),
  }),
})
