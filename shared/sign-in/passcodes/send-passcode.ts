import { randomUUID } from 'node:crypto'
import { sendMail } from '../../core/aws/send-mail.ts'
import { clock } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { hashPassword } from '../../core/secrets/password-hash.ts'
import { type AccountRow, accounts } from '../../domain/accounts/account.ts'
import { limitOf, usageOf } from '../../domain/accounts/check-limit.ts'
import { readCounts } from '../../domain/accounts/read-counts.ts'
import { type ActorRow, actors } from '../../domain/actors/actor.ts'
import { type AuthProviderRow, authProviders, type ProviderKind } from '../../domain/auth-providers/auth-provider.ts'
import { type Passcode, passcodeKey } from '../../domain/passcodes/passcode.ts'
import { table, tableName } from '../../table/client.ts'
import { PutCommand } from '../../table/commands.ts'
import { findUnique, getRow } from '../../table/read.ts'
import { foldAscii } from '../../values/fold-ascii.ts'
import { noteRefusal } from '../refusals/note-sign-in.ts'
import { refusalOf } from '../refusals/refusal-of.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import type { SignInContext } from '../sign-in-context.ts'
import { passcodeMail } from './passcode-mail.ts'
import { passcodeProvider } from './passcode-provider.ts'
import { newPasscode } from './passcode-text.ts'
import { useText } from './passcode-use.ts'
import { takeMail } from './take-mail.ts'

/** What the function that mails passcodes is asked for. */
export type PasscodeOrder = {
  account_id: string
  email: string
  context: SignInContext
  /** `proof`: somebody has signed in at an OpenID provider that does not vouch for the address (I2.3). */
  purpose: 'sign_in' | 'proof'
  /** That provider; null for the one of passcodes. */
  provider_id: string | null
  /** Of a proof: the key of the code that waits for it; the version before named none. */
  code?: string
}

const validMicros = 15 * 60_000_000
/** Below the time of the function. */
const hashPatienceMs = 20_000

/**
 * Makes a passcode and mails it, if the address belongs to somebody who can sign in with it (I8.3); otherwise the service's
 * log says why not. Every order costs one hash, also that of an address that nobody has: on one machine whoever verifies
 * waits for it in the same queue. @throws when the mail was not taken: then Lambda runs the whole again
 */
export async function sendPasscode(order: PasscodeOrder): Promise<void> {
  const { account_id: accountId, email, purpose, context } = order
  const { mailSender } = env
  if (mailSender === null) return noteRefusal(accountId, new SignInRefused('mails_not_configured'))
  const passcode = newPasscode()
  const [account, actor, provider, hash] = await Promise.all([
    getRow(accounts, accountId, accountId),
    findUnique(actors, accountId, 'actors.email', foldAscii(email)),
    providerOf(order),
    hashPassword(passcode, Date.now() + hashPatienceMs),
  ])
  const refusal = await refusalFor(order, account, actor, provider)
  if (refusal || !account || !actor || !provider)
    return noteRefusal(accountId, new SignInRefused(refusal ?? 'actor_unknown', actor?.id))
  if (!(await takeMail(email, clock.now())))
    return noteRefusal(accountId, new SignInRefused('too_many_mails', actor.id))
  await keepPasscode(accountId, actor.id, { email: foldAscii(email), hash, ...useOf(order, provider) })
  await sendMail({
    from: mailSender,
    to: actor.email ?? email,
    ...passcodeMail(account, passcode, { purpose, context }),
  })
}

const kindOf = ({ purpose }: PasscodeOrder): ProviderKind => (purpose === 'proof' ? 'oidc' : 'email_otp')

const providerOf = (order: PasscodeOrder): Promise<AuthProviderRow | null> =>
  order.provider_id === null
    ? passcodeProvider(order.account_id)
    : getRow(authProviders[kindOf(order)], order.account_id, order.provider_id)

async function refusalFor(
  order: PasscodeOrder,
  account: AccountRow | null,
  actor: ActorRow | null,
  provider: AuthProviderRow | null,
) {
  const counts = await readCounts(order.account_id)
  const total = account && limitOf(account, 'users')
  const aboveUsersLimit = total !== null && usageOf((tally) => counts[tally] ?? 0, 'users') > total
  return refusalOf({ account, kind: kindOf(order), provider, actor, context: order.context, aboveUsersLimit })
}

function useOf({ purpose, context, code }: PasscodeOrder, provider: AuthProviderRow): Pick<Passcode, 'use'> {
  if (purpose === 'sign_in') return { use: useText({ purpose, providerId: provider.id, context }) }
  return code === undefined ? {} : { use: useText({ purpose, code }) }
}

/** The one passcode of an actor: an earlier one is gone. */
async function keepPasscode(
  accountId: string,
  actorId: string,
  kept: Pick<Passcode, 'email' | 'hash' | 'use'>,
): Promise<void> {
  const expiresAt = clock.now() + validMicros
  const item: Passcode = {
    ...passcodeKey(accountId, actorId),
    kind: 'passcode',
    id: randomUUID(),
    ...kept,
    attempts: 0,
    expires_at: expiresAt,
    ttl: Math.ceil(expiresAt / 1_000_000),
  }
  await table().send(new PutCommand({ TableName: tableName(), Item: item }))
}
