import { type Mail, sendMail } from '../../core/aws/send-mail.ts'
import { clock, dayMicros } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { logLine } from '../../core/logging/log.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { limitedAccountsPartition } from '../../domain/accounts/limited-accounts.ts'
import { get } from '../../domain/accounts/store.ts'
import { enabledAdministrators } from '../../domain/actors/enabled-administrators.ts'
import { getRow, queryItems } from '../../table/read.ts'
import { beginMail, endMail } from '../mails/mail-turn.ts'
import { limitsMail } from './limits-mail.ts'
import { limitsMailsPartition } from './limits-mails.ts'

/** Accounts looked at together. */
const width = 4
const perRead = 100
/** At most every 3 days (A11). */
const interval = 3 * dayMicros

/**
 * Compares the use of each account with its limits, and mails its administrators about those that are exceeded, at most
 * every 3 days (A11, I8). Whether a client may start a session is decided when it asks (P3.1), not here.
 * @throws AggregateError of what failed; it does not hold up the rest
 */
export async function compareLimits(deadline: number): Promise<void> {
  const errors: unknown[] = []
  let after: string | undefined
  do {
    const page = await queryItems(limitedAccountsPartition, { after, limit: perRead })
    await inParallel(page, width, (item) =>
      Date.now() > deadline
        ? Promise.resolve()
        : compare(String(item.account_id)).catch((error) => void errors.push(error)),
    )
    const last = page.length === perRead ? page.at(-1) : undefined
    after = last && String(last.sk)
  } while (after !== undefined && Date.now() < deadline)
  if (errors.length > 0) throw new AggregateError(errors, 'Some accounts were not told of their limits.')
}

async function compare(accountId: string): Promise<void> {
  const account = await getRow(accounts, accountId, accountId)
  if (!account || account.is_disabled) return
  const limits = Object.entries((await get(account)).data.limits).map(([name, use]) => ({ name, ...use }))
  const exceeded = limits.filter(({ used, total }) => used > total)
  if (exceeded.length === 0) return
  logLine('WARN', 'account_above_limits', { account_id: accountId, limits: exceeded.map(({ name }) => name) })
  const { mailSender } = env
  if (mailSender === null) return
  const message = { from: mailSender, ...limitsMail(account, exceeded) }
  const outcomes = await Promise.allSettled(
    (await enabledAdministrators(accountId)).map(({ id, email: to }) => mail(accountId, id, { ...message, to })),
  )
  const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (failed.length > 0) throw new AggregateError(failed, 'Some administrators were not mailed.')
}

async function mail(accountId: string, actorId: string, message: Mail): Promise<void> {
  const turn = { pk: limitsMailsPartition(accountId), sk: actorId }
  if (!(await beginMail(turn, clock.now()))) return
  await sendMail(message)
  await endMail(turn, clock.now(), interval)
}
