import type { ProviderKind } from './auth-provider.ts'

/** Kinds whose providers an account chooses, so that one of them can be hostile to another (docs/decisions/0021). */
const chosenKinds: readonly ProviderKind[] = ['oidc', 'idp']

/** Where an answer comes back to, below the address of the service: for one provider, or those that the deployment names. */
export const callbackPath = (providerId: string | null): string =>
  providerId === null ? '/sign_in/callback' : `/sign_in/callback/${providerId}`

/** The address that a provider leads people back to, which it has to know beforehand (I2.2). */
export const callbackUri = (address: string, kind: ProviderKind, id: string): string =>
  address + callbackPath(chosenKinds.includes(kind) ? id : null)
