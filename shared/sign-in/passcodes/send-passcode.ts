import { hash, randomUUID } from 'node:crypto'
import { sendMail } from '../../core/aws/send-mail.ts'
import { clock } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { hashPassword } from '../../core/secrets/password-hash.ts'
import { type AccountRow, accounts } from '../../domain/accounts/account.ts'
import { readCounts } from '../../domain/accounts/store.ts'
import { actors } from '../../domain/actors/actor.ts'
import { type AuthProviderRow, authProviders, type ProviderKind } from '../../domain/auth-providers/auth-provider.ts'
import { type Passcode, passcodeKey } from '../../domain/passcodes/passcode.ts'
import { ifMet, putItem } from '../../table/put-item.ts'
import { findUnique, getItem, getRow, type StoredItem } from '../../table/read.ts'
import { foldAscii } from '../../values/text.ts'
import { findRefusal, isAboveUsersLimit } from '../refusals/find-refusal.ts'
import { noteRefusal } from '../refusals/refusal-cause.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import type { SignInContext } from '../sign-in-context.ts'
import { newPasscode, passcodeProvider, useText } from './passcode-text.ts'

export type PasscodeOrder = { account_id: string; email: string; context: SignInContext } & (
  | { purpose: 'sign_in'; provider_id: null }
  // Proves an email address that the OpenID provider does not vouch for (I2.3).
  | { purpose: 'proof'; provider_id: string; code: string }
)

const validMicros = 15 * 60_000_000
const hashPatienceMs = 20_000

/**
 * Emails a passcode if the address belongs to an actor who can use the passcode (I8.3). For any other address, logs the refusal. Hashes a
 * passcode in both cases, so that both take the same time.
 * @throws Error if the email is not accepted, so that Lambda retries
 */
export async function sendPasscode(order: PasscodeOrder): Promise<void> {
  const { account_id: accountId, email, context } = order
  const { mailSender } = env
  if (mailSender === null) return noteRefusal(accountId, new SignInRefused('mails_not_configured'))
  const passcode = newPasscode()
  const [account, actor, provider, hash] = await Promise.all([
    getRow(accounts, accountId, accountId),
    findUnique(actors, accountId, 'actors.email', foldAscii(email)),
    providerOf(order),
    hashPassword(passcode, clock.monotonic() + hashPatienceMs),
  ])
  const counts = await readCounts(accountId)
  const aboveUsersLimit = isAboveUsersLimit(account, (tally) => counts[tally] ?? 0)
  const refusal = findRefusal({ account, kind: kindOf(order), provider, actor, context, aboveUsersLimit })
  if (refusal || !account || !actor || !provider)
    return noteRefusal(accountId, new SignInRefused(refusal ?? 'actor_unknown', actor?.id))
  if (!(await takeMail(email, clock.now())))
    return noteRefusal(accountId, new SignInRefused('too_many_mails', actor.id))
  const use = useText(order.purpose === 'proof' ? order : { purpose: 'sign_in', providerId: provider.id, context })
  await storePasscode(accountId, actor.id, { email: foldAscii(email), hash, use })
  await sendMail({ from: mailSender, to: actor.email ?? email, ...passcodeMail(account, passcode, order) })
}

const kindOf = ({ purpose }: PasscodeOrder): ProviderKind => (purpose === 'proof' ? 'oidc' : 'email_otp')

const providerOf = (order: PasscodeOrder): Promise<AuthProviderRow | null> =>
  order.provider_id === null
    ? passcodeProvider(order.account_id)
    : getRow(authProviders[kindOf(order)], order.account_id, order.provider_id)

async function storePasscode(accountId: string, actorId: string, content: Pick<Passcode, 'email' | 'hash' | 'use'>) {
  const expiresAt = clock.now() + validMicros
  const item: Passcode = {
    ...passcodeKey(accountId, actorId),
    kind: 'passcode',
    id: randomUUID(),
    ...content,
    attempts: 0,
    expires_at: expiresAt,
    ttl: Math.ceil(expiresAt / 1_000_000),
  }
  await putItem(item)
}

/** Builds the email in plain text without links, because mail scanners open links (I8.3). */
const passcodeMail = (
  { name: given, slug }: Pick<AccountRow, 'name' | 'slug'>,
  passcode: string,
  { purpose, context }: PasscodeOrder,
) => {
  // Removes line breaks and control characters, so that the account's name cannot add lines to the email.
  const name = given.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  return {
    subject: `Your passcode for ${name}`,
    text: [
      purpose === 'sign_in'
        ? `Use this passcode to sign in to ${context === 'portal' ? `the administration of ${name} (${slug})` : `${name} (${slug}) on a device`}:`
        : `Use this passcode to confirm your email address for your first sign-in to ${name} (${slug}):`,
      '',
      `    ${passcode}`,
      '',
      'It expires in 15 minutes and works once, for this sign-in only. Earlier passcodes no longer work.',
      'Enter it only on a page where you started to sign in yourself, and never share it.',
      '',
      'If you did not request it, ignore this email: nobody can sign in without the passcode.',
      '',
    ].join('\n'),
  }
}

const maxMails = 5
const windowMicros = 15 * 60_000_000

/** Partition of the passcode emails to an address, shared by all accounts. Contains a hash instead of the address. */
const passcodeMailsPartition = (email: string): string =>
  `service#mails.passcode#${hash('sha256', foldAscii(email), 'base64url')}`

type Sent = StoredItem & { sent: number[] }

/** Takes one of the five emails that an address may receive in 15 minutes (I2.5). Returns false if none is left. */
async function takeMail(email: string, now: number): Promise<boolean> {
  const key = { pk: passcodeMailsPartition(email), sk: 'sent' }
  for (let tries = 0; tries < 10; tries++) {
    const item = await getItem<Sent>(key)
    const recent = (item?.sent ?? []).filter((at) => at > now - windowMicros)
    if (recent.length >= maxMails) return false
    const ttl = Math.ceil((now + windowMicros) / 1_000_000)
    const unchanged = { ConditionExpression: 'sent = :known', ExpressionAttributeValues: { ':known': item?.sent } }
    const condition = item ? unchanged : { ConditionExpression: 'attribute_not_exists(pk)' }
    if (await ifMet(putItem({ ...key, kind: 'mail', sent: [...recent, now], ttl }, condition))) return true
  }
  return false
}
