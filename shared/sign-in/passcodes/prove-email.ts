import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { invokeLater } from '../../core/aws/lambda.ts'
import { clock } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { matchesPassword } from '../../core/secrets/password-hash.ts'
import type { Origin } from '../../core/subject.ts'
import { retryUntil } from '../../core/work/work.ts'
import type { AccountRow } from '../../domain/accounts/account.ts'
import { type Passcode, passcodeKey } from '../../domain/passcodes/passcode.ts'
import { type RowPointer, uniqueKey } from '../../table/keys.ts'
import { ifMet } from '../../table/put-item.ts'
import { getItem } from '../../table/read.ts'
import { table, tableName } from '../../table/table.ts'
import { EmailAddress, OneOf, Text } from '../../values/fields.ts'
import { foldAscii } from '../../values/text.ts'
import type { ProvenIdentity } from '../identities/find-identity.ts'
import { limitAttempts, limitEmailAttempts } from '../limit-attempts.ts'
import { hideRefusal, noteSignIn } from '../refusals/refusal-cause.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import { stageSignIn } from '../sessions/issue-session.ts'
import { type SignInContext, signInContexts } from '../sign-in-context.ts'
import { type PasscodeUse, passcodeProvider, readPasscode, useText } from './passcode-text.ts'
import type { PasscodeOrder } from './send-passcode.ts'

const maxAttempts = 3
const hashPatienceMs = 20_000
/** Placeholder for the actor of an unknown address, so that a verification makes the same requests as for a known address. */
const noActorId = '00000000-0000-0000-0000-000000000000'

/** A passcode that matched. The commit that completes the sign-in deletes the passcode. */
type EmailProof = { actorId: string; passcodeId: string }

/** Compares the entered passcode with the emailed one. Takes the same time for unknown addresses. @throws SignInRefused */
export async function proveEmail(
  accountId: string,
  email: string,
  entered: string,
  use: PasscodeUse,
): Promise<EmailProof> {
  const folded = foldAscii(email)
  const unique = await getItem<RowPointer>(uniqueKey(accountId, 'actors.email', folded))
  const actorId = unique?.row.sk ?? null
  const passcodeItem = await takeAttempt(accountId, actorId ?? noActorId, folded, use)
  const passcode = readPasscode(entered)
  const matches = await matchesPassword(passcode ?? '', passcodeItem?.hash ?? null, retryUntil(hashPatienceMs))
  if (!passcodeItem || !matches || actorId === null) throw new SignInRefused('passcode', actorId)
  return { actorId, passcodeId: passcodeItem.id }
}

/**
 * Counts an attempt before the comparison, so that concurrent attempts cannot exceed the limit. Returns null if the actor has no valid
 * passcode for this email and use.
 */
async function takeAttempt(
  accountId: string,
  actorId: string,
  email: string,
  use: PasscodeUse,
): Promise<Passcode | null> {
  const update = new UpdateCommand({
    TableName: tableName(),
    Key: passcodeKey(accountId, actorId),
    UpdateExpression: 'SET attempts = attempts + :one',
    ConditionExpression: 'attempts < :max AND expires_at > :now AND email = :email AND #use = :use',
    ExpressionAttributeNames: { '#use': 'use' },
    ExpressionAttributeValues: {
      ':one': 1,
      ':max': maxAttempts,
      ':now': clock.now(),
      ':email': email,
      ':use': useText(use),
    },
    ReturnValues: 'ALL_NEW',
  })
  const updated = await ifMet(table().send(update))
  return (updated?.Attributes as Passcode | undefined) ?? null
}

/**
 * Stages the deletion of a matched passcode.
 * @throws SignInRefused `passcode` if a concurrent request has used or replaced the passcode
 */
export async function useProof(transaction: Transaction, { actorId, passcodeId }: EmailProof): Promise<void> {
  const key = passcodeKey(transaction.accountId, actorId)
  const passcodeItem = await getItem<Passcode>(key)
  if (passcodeItem?.id !== passcodeId) throw new SignInRefused('passcode', actorId)
  transaction.remove(key)
}

/** Proves an identity with an emailed passcode (I2.5). @throws SignInRefused; ApiError `rate_limited` */
export async function provePasscode(
  accountId: string,
  { email, passcode, context }: { email: string; passcode: string; context: SignInContext },
) {
  await Promise.all([limitAttempts(accountId, 'passcodes'), limitEmailAttempts(email)])
  const provider = await passcodeProvider(accountId)
  if (!provider) throw new SignInRefused('provider_disabled')
  const proof = await proveEmail(accountId, email, passcode, { purpose: 'sign_in', providerId: provider.id, context })
  const identity: ProvenIdentity = {
    issuer: provider.issuer,
    idpId: foldAscii(email),
    email: { verified: email },
    profile: { email },
  }
  const { id, trust_version } = provider
  return { provider: { kind: 'email_otp', id, trust_version } as const, proof, identity }
}

export const VerifyFields = v.object({ email: EmailAddress, passcode: Text(255), context: OneOf(signInContexts) })

/**
 * Signs in with an emailed passcode (I2.5, I2.6). The commit that stores the session deletes the passcode.
 * @throws ApiError `unauthorized`, `rate_limited`
 */
export async function verifyPasscode(account: AccountRow, entered: v.InferOutput<typeof VerifyFields>, origin: Origin) {
  const accountId = account.id
  const { context } = entered
  return hideRefusal(accountId, async () => {
    const { provider, proof, identity } = await provePasscode(accountId, entered)
    const signIn = { identity, mailedTo: proof.actorId, provider, context, origin }
    const issued = await commitInParts({ accountId, subject: null }, (transaction) =>
      stageSignIn(transaction, signIn, () => useProof(transaction, proof)),
    )
    noteSignIn()
    return { data: issued }
  })
}

export const OrderFields = v.object({ email: EmailAddress, context: OneOf(signInContexts) })

/** Response to every order for a passcode, even for an unknown address (I2.5). */
export const Ordered = v.object({ status: v.literal('sent') })

/**
 * Orders a passcode. A separate function looks up the address, so that the response time does not reveal whether the address exists (I2.5).
 * @throws ApiError `rate_limited`
 */
export async function orderPasscode(account: AccountRow, { email, context }: v.InferOutput<typeof OrderFields>) {
  await Promise.all([limitAttempts(account.id, 'passcodes'), limitEmailAttempts(email)])
  const order: PasscodeOrder = { account_id: account.id, email, context, purpose: 'sign_in', provider_id: null }
  await invokeLater(env.passcodeFunction, order)
  return { data: { status: 'sent' as const } }
}
