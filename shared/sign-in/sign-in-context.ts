import { type AuthProviderRow, opensPortal } from '../domain/auth-providers/auth-provider.ts'

/** Purpose of a sign-in: a client of the person, or the portal of administrators (I2.1). */
export const signInContexts = ['client', 'portal'] as const
export type SignInContext = (typeof signInContexts)[number]

/** True where a provider is open for a context (A25.1). */
export const allowsContext = (provider: Pick<AuthProviderRow, 'context'>, context: SignInContext): boolean =>
  context === 'portal' ? opensPortal(provider) : provider.context !== 'portal_only'
