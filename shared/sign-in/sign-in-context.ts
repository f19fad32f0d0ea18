import { type AuthProviderRow, opensPortal } from '../domain/auth-providers/auth-provider.ts'

/** What a person signs in for: a client of theirs, or the portal of administrators (I2.1). */
export const signInContexts = ['client', 'portal'] as const
export type SignInContext = (typeof signInContexts)[number]

/** Whether people may sign in with a provider for this (A25.1). */
export const allowsContext = (provider: Pick<AuthProviderRow, 'context'>, context: SignInContext): boolean =>
  context === 'portal' ? opensPortal(provider) : provider.context !== 'portal_only'
