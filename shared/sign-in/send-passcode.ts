import { randomUUID } from 'node:crypto'
import { clock } from '../core/clock.ts'
import { env } from '../core/env.ts'
import { hashPassword } from '../core/password-hash.ts'
import { sendMail } from '../core/send-mail.ts'
import { type AccountRow, accounts } from '../domain/accounts/account.ts'
import { limitOf, usageOf } from '../domain/accounts/check-limit.ts'
import { readCounts } from '../domain/accounts/read-counts.ts'
import { type ActorRow, actors } from '../domain/actors/actor.ts'
import { authProviders, type ProviderKind } from '../domain/auth-providers/auth-provider.ts'
import { type Passcode, passcodeKey } from '../domain/passcodes/passcode.ts'
import { table, tableName } from '../table/client.ts'
import { PutCommand } from '../table/commands.ts'
import { findUnique, getRow } from '../table/read.ts'
import { noteRefusal } from './note-sign-in.ts'
import { passcodeMail } from './passcode-mail.ts'
import { takeMail } from './passcode-mails.ts'
import { passcodeProvider } from './passcode-provider.ts'
import { newPasscode } from './passcode-text.ts'
import { refusalOf } from './refusal-of.ts'
import type { SignInContext } from './sign-in-context.ts'
import { SignInRefused } from './sign-in-refused.ts'

/** What the function that mails passcodes is asked for. */
export type PasscodeOrder = {
  account_id: string
  email: string
  context: SignInContext
  /** `proof`: somebody has signed in at an OpenID provider that does not vouch for the address (I2.3). */
  purpose: 'sign_in' | 'proof'
  /** That provider; null for the one of passcodes. */
  provider_id: string | null
}

const validMicros = 15 * 60_000_000
/** Below the time of the function. */
const hashPatienceMs = 20_000

/**
 * Makes a passcode and mails it, if the address belongs to somebody who can sign in with it (I8.3); otherwise the service's
 * log says why not. @throws when the mail was not taken: then Lambda runs the whole again
 */
export async function sendPasscode(order: PasscodeOrder): Promise<void> {
  const { account_id: accountId, email, purpose } = order
  const { mailSender } = env
  if (mailSender === null) return noteRefusal(accountId, new SignInRefused('mails_not_configured'))
  const [account, actor] = await Promise.all([
    getRow(accounts, accountId, accountId),
    findUnique(actors, accountId, 'actors.email', email.toLowerCase()),
  ])
  const refusal = await refusalFor(order, account, actor)
  if (refusal || !account || !actor)
    return noteRefusal(accountId, new SignInRefused(refusal ?? 'actor_unknown', actor?.id))
  if (!(await takeMail(email, clock.now())))
    return noteRefusal(accountId, new SignInRefused('too_many_mails', actor.id))
  const passcode = newPasscode()
  await keepPasscode(accountId, actor.id, email, passcode)
  await sendMail({ from: mailSender, to: actor.email ?? email, ...passcodeMail(account, passcode, purpose) })
}

async function refusalFor(order: PasscodeOrder, account: AccountRow | null, actor: ActorRow | null) {
  const { account_id: accountId, context, purpose, provider_id } = order
  const kind: ProviderKind = purpose === 'proof' ? 'oidc' : 'email_otp'
  const [provider, counts] = await Promise.all([
    provider_id === null ? passcodeProvider(accountId) : getRow(authProviders[kind], accountId, provider_id),
    readCounts(accountId),
  ])
  const total = account && limitOf(account, 'users')
  const aboveUsersLimit = total !== null && usageOf((tally) => counts[tally] ?? 0, 'users') > total
  return refusalOf({ account, kind, provider, actor, context, aboveUsersLimit })
}

/** The one passcode of an actor: an earlier one is gone. */
async function keepPasscode(accountId: string, actorId: string, email: string, passcode: string): Promise<void> {
  const hash = await hashPassword(passcode, Date.now() + hashPatienceMs)
  const expiresAt = clock.now() + validMicros
  const item: Passcode = {
    ...passcodeKey(accountId, actorId),
    kind: 'passcode',
    id: randomUUID(),
    email: email.toLowerCase(),
    hash,
    attempts: 0,
    expires_at: expiresAt,
    ttl: Math.ceil(expiresAt / 1_000_000),
  }
  await table().send(new PutCommand({ TableName: tableName(), Item: item }))
}
