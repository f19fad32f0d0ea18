import { commit } from '#shared/commit/commit.ts'
import { findIdentity, stageIdentity } from '#shared/sign-in/identities/find-identity.ts'
import { SignInRefused } from '#shared/sign-in/refusals/sign-in-refused.ts'
import type { SyncWorld } from './sync-runs.ts'

/** Signs in a person from the directory with the email `<id>@example.com`. Returns false if the sign-in is refused. */
export async function signInAs({ account, company }: SyncWorld, id: string): Promise<boolean> {
  const provider = { context: 'clients_and_portal' } as const
  const email = { verified: `${id}@example.com` }
  const proven = { issuer: company.issuer, idpId: id, email, profile: { nickname: 'Signed in' } }
  try {
    await commit({ accountId: account.id, subject: null }, async (transaction) =>
      stageIdentity(transaction, await findIdentity(account.id, proven, 'client', provider), proven, provider),
    )
    return true
  } catch (error) {
    if (error instanceof SignInRefused) return false
    throw error
  }
}
