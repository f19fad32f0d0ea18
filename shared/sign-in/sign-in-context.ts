import type { AuthProviderRow } from '../domain/auth-providers/auth-provider.ts'

/** What a person signs in for: a client of theirs, or the portal of administrators (I2.1). */
export const signInContexts = ['client', 'portal'] as const
export type SignInContext = (typeof signInContexts)[number]

const excluded = { client: 'portal_only', portal: 'clients_only' } as const

/** Whether people may sign in with a provider for this (A25.1). */
export const allowsContext = (provider: Pick<AuthProviderRow, 'context'>, context: SignInContext): boolean =>
  provider.context !== excluded[context]
