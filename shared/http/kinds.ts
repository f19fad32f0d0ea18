import type { ProviderKind } from '../domain/auth-providers/auth-provider.ts'
import type { DirectoryKind } from '../domain/directories/directory.ts'

/** Names of a kind for use in operation summaries. `one` includes an article. */
type Titles = { one: string; many: string }

export const providerTitles: Record<ProviderKind, Titles> = {
  email_otp: { one: 'an email passcode provider', many: 'email passcode providers' },
  oidc: { one: 'an OpenID Connect provider', many: 'OpenID Connect providers' },
  suite: { one: 'a suite provider', many: 'suite providers' },
  tenant: { one: 'a tenant provider', many: 'tenant providers' },
  idp: { one: 'an identity provider', many: 'identity providers' },
}

export const directoryTitles: Record<DirectoryKind, Titles> = {
  suite: { one: 'a suite directory', many: 'suite directories' },
  tenant: { one: 'a tenant directory', many: 'tenant directories' },
  idp: { one: 'an identity provider directory', many: 'identity provider directories' },
}
