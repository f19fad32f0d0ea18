import type { Transaction } from '../../commit/transaction.ts'
import { clock } from '../../core/clock.ts'
import { matchesPassword } from '../../core/secrets/password-hash.ts'
import { retryUntil } from '../../core/work/work.ts'
import { type Passcode, passcodeKey } from '../../domain/passcodes/passcode.ts'
import { table, tableName } from '../../table/client.ts'
import { UpdateCommand } from '../../table/commands.ts'
import { guardKey, type RowPointer } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'
import { foldAscii } from '../../values/fold-ascii.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import { readPasscode } from './passcode-text.ts'
import { type PasscodeUse, useText } from './passcode-use.ts'

const mostAttempts = 3
const hashPatienceMs = 20_000
/** Has no passcode. What is asked of the table for an address that nobody has is asked for it. */
const nobody = '00000000-0000-0000-0000-000000000000'

/** A passcode that somebody knew; it is used up in the commit that it leads to. */
export type EmailProof = { actorId: string; passcodeId: string }

/**
 * Holds what somebody entered against the passcode that was mailed to an address for this use. It takes the same requests and
 * the same time, whether the address is anybody's, has a passcode, or has none any more.
 * @throws SignInRefused `passcode`, for every reason
 */
export async function proveEmail(
  accountId: string,
  email: string,
  entered: string,
  use: PasscodeUse,
): Promise<EmailProof> {
  const folded = foldAscii(email)
  const guard = await getItem<RowPointer>(guardKey(accountId, 'actors.email', folded))
  const actorId = guard?.row.sk ?? null
  const held = await takeAttempt(accountId, actorId ?? nobody, folded, use)
  const passcode = readPasscode(entered)
  const matches = await matchesPassword(passcode ?? '', held?.hash ?? null, retryUntil(hashPatienceMs))
  if (!held || !matches || actorId === null) throw new SignInRefused('passcode', actorId)
  return { actorId, passcodeId: held.id }
}

/**
 * Counts an attempt before it is made, so that many at once are no more than many one by one. One for another use cannot
 * succeed, and takes none of the passcode's away.
 */
async function takeAttempt(
  accountId: string,
  actorId: string,
  email: string,
  use: PasscodeUse,
): Promise<Passcode | null> {
  try {
    const { Attributes } = await table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key: passcodeKey(accountId, actorId),
        UpdateExpression: 'SET attempts = attempts + :one',
        ConditionExpression:
          'attempts < :most AND expires_at > :now AND email = :email AND (attribute_not_exists(#use) OR #use = :use)',
        ExpressionAttributeNames: { '#use': 'use' },
        ExpressionAttributeValues: {
          ':one': 1,
          ':most': mostAttempts,
          ':now': clock.now(),
          ':email': email,
          ':use': useText(use),
        },
        ReturnValues: 'ALL_NEW',
      }),
    )
    // At its key nothing else is ever written.
    return (Attributes as Passcode | undefined) ?? null
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return null
    throw error
  }
}

/**
 * Stages that a passcode is used: of many commits that it leads to, the first alone finds it.
 * @throws SignInRefused `passcode` when it was used, or replaced, meanwhile
 */
export async function useProof(transaction: Transaction, { actorId, passcodeId }: EmailProof): Promise<void> {
  const key = passcodeKey(transaction.accountId, actorId)
  const held = await getItem<Passcode>(key)
  if (held?.id !== passcodeId) throw new SignInRefused('passcode', actorId)
  transaction.remove(key)
}
