import { type AuthProviderRow, opensPortal } from '../domain/auth-providers/auth-provider.ts'

/** Purpose of a sign-in (I2.1): `client` for a device of the person, `portal` for administrators. */
export const signInContexts = ['client', 'portal'] as const
export type SignInContext = (typeof signInContexts)[number]

export const allowsContext = (provider: Pick<AuthProviderRow, 'context'>, context: SignInContext): boolean =>
  context === 'portal' ? opensPortal(provider) : provider.context !== 'portal_only'
