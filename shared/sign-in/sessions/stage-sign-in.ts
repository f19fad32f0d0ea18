import type { Transaction } from '../../commit/transaction.ts'
import { authProviders } from '../../domain/auth-providers/auth-provider.ts'
import { findIdentity } from '../identities/find-identity.ts'
import type { ProvenIdentity } from '../identities/proven-identity.ts'
import { stageIdentity } from '../identities/stage-identity.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import { admit, type Issued, type SignIn, stageSession } from './issue-session.ts'

/** A proven identity, and the sign-in that it is for. */
type ProvenSignIn = Omit<SignIn, 'actorId'> & {
  identity: ProvenIdentity
  /** The actor that the passcode was mailed to, where there was one; nobody else gets the session. */
  mailedTo: string | undefined
}

/**
 * Stages a part of the change that signs in a proven identity (I2.6, I3). The last part spends the proof and writes
 * identity and session. Earlier parts only end what the former subject of the identity was given.
 * @param spend stages that the code and the passcode are used; refuses when they were used meanwhile
 * @throws SignInRefused; then nothing of the commit may be written
 */
export async function stageSignIn(
  transaction: Transaction,
  { identity, mailedTo, ...signIn }: ProvenSignIn,
  spend: () => Promise<void>,
): Promise<{ done: Issued } | 'more'> {
  const { kind, id } = signIn.provider
  const provider = await transaction.get(authProviders[kind], id)
  const found = await findIdentity(transaction.accountId, identity, signIn.context, provider)
  // The address was given to somebody else after the mail.
  if (mailedTo !== undefined && found.actorId !== mailedTo) throw new SignInRefused('passcode', mailedTo)
  const admitted = await admit(transaction, { ...signIn, actorId: found.actorId })
  if ((await stageIdentity(transaction, found, identity, admitted.provider)) === 'more') return 'more'
  await spend()
  return { done: await stageSession(transaction, admitted) }
}
