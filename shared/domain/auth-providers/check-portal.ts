import { isDeepStrictEqual } from 'node:util'
import { checkAdministration } from '../../commit/check-administration.ts'
import type { Author } from '../../commit/commit.ts'
import { resealSecret } from '../../core/secrets/sealed-secret.ts'
import type { Draft } from '../../values/draft.ts'
import {
  type AuthProviderInput,
  type AuthProviderRow,
  commonDefaults,
  type NewAuthProviderInput,
  opensPortal,
} from './auth-provider.ts'

/** Refuses a new provider that administrators could sign in with (A25.2(6)). @throws ApiError `scope_exceeded` */
export function checkNewPortalProvider(author: Author, draft: Draft<NewAuthProviderInput>): void {
  const { context = commonDefaults.context } = draft.fields
  if (draft.has('context') || !opensPortal({ context })) return
  checkAdministration(author, 'Creating a provider whose context allows the portal')
}

/** Fields that decide neither who opens the portal nor for how long. */
const harmless: readonly string[] = ['name', 'is_default', 'client_session_lifetime_secs']

/** Returns whether a field of a portal provider can let somebody else into the portal, or the same people for longer. */
function widens(before: AuthProviderRow, [field, value]: [string, unknown]): boolean {
  if (harmless.includes(field)) return false
  if (field === 'is_disabled') return before.is_disabled && value === false
  if (field === 'portal_session_lifetime_secs') return Number(value) > before.portal_session_lifetime_secs
  return !isDeepStrictEqual(value, before[field as keyof AuthProviderRow] ?? null)
}

/**
 * Refuses a change of what a provider accepts, where administrators can sign in with it before or after the change (A25.2(6)).
 * Repeated values, a new name, shorter sessions and disabling pass.
 * @throws ApiError `scope_exceeded`
 */
export async function checkPortalChange(
  author: Author,
  before: AuthProviderRow,
  { client_secret: sent, ...fields }: AuthProviderInput,
): Promise<void> {
  if (!opensPortal(before) && !opensPortal({ context: fields.context ?? before.context })) return
  const stored = before.client_secret ?? null
  const hasNewSecret = sent !== undefined && (await resealSecret(author.accountId, sent, stored)) !== stored
  if (!hasNewSecret && !Object.entries(fields).some((field) => widens(before, field))) return
  checkAdministration(author, 'Changing how administrators sign in with this provider')
}
