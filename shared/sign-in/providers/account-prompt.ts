import type { DiscoveryDocument } from '../../domain/auth-providers/discovery-document.ts'
import type { OpenIdKind } from './provider-app.ts'

/** Value of `prompt` (OpenID Connect Core 1.0, 3.1.2.1) that keeps a provider from using the account of its session. */
export type AccountPrompt = 'select_account' | 'login'

/** Kinds whose real provider documents no `select_account`; all others are tried with it (docs/decisions/0021). */
const loginOnly: readonly OpenIdKind[] = ['idp']

/** Prompt by which a provider lets a person use another account; null where it knows none. */
export function accountPrompt(
  kind: OpenIdKind,
  { prompt_values_supported: known }: Pick<DiscoveryDocument, 'prompt_values_supported'>,
): AccountPrompt | null {
  const values = known ?? (loginOnly.includes(kind) ? ['login'] : ['select_account'])
  return (['select_account', 'login'] as const).find((prompt) => values.includes(prompt)) ?? null
}

/** Errors of a provider that offers no choice of accounts. */
const withoutChoice = ['invalid_request', 'account_selection_required']

/**
 * Returns whether a provider only refused to offer a choice of accounts. The service then requests a login instead.
 */
export const lacksChoice = (asked: AccountPrompt | null, query: URLSearchParams): boolean =>
  asked === 'select_account' && withoutChoice.includes(query.get('error') ?? '')
