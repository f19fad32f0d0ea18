import { type Mail, sendMail } from '../../core/aws/send-mail.ts'
import { clock, dayMicros } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { logLine } from '../../core/logging/log.ts'
import { attemptAll } from '../../core/work/in-parallel.ts'
import { type AccountRow, accounts, limitedAccountsPartition } from '../../domain/accounts/account.ts'
import { get } from '../../domain/accounts/store.ts'
import { enabledAdministrators } from '../../domain/actors/actor.ts'
import { recordMail, reserveMail } from '../../domain/mails/mail-schedule.ts'
import { partition } from '../../table/keys.ts'
import { getRow, queryItems, type StoredItem } from '../../table/read.ts'

/** Number of accounts processed concurrently, and of mails sent concurrently for each account. */
const width = 4
/** Minimum time between two mails to an administrator (A11). */
const interval = 3 * dayMicros

/**
 * Mails administrators about exceeded limits of their account, at most once every 3 days (A11, I8).
 * @throws AggregateError with all failures, after processing the other accounts
 */
export async function compareLimits(deadline: number): Promise<void> {
  const compareInTime = async (item: StoredItem) => {
    if (clock.monotonic() < deadline) await compare(String(item.account_id), deadline)
  }
  const items = await queryItems(limitedAccountsPartition)
  await attemptAll(items, width, compareInTime, 'Some accounts could not be notified of exceeded limits.')
}

async function compare(accountId: string, deadline: number): Promise<void> {
  const account = await getRow(accounts, accountId, accountId)
  if (!account || account.is_disabled) return
  const limits = Object.entries((await get(account)).data.limits).map(([name, use]) => ({ name, ...use }))
  const exceededLimits = limits.filter(({ used, total }) => used > total)
  if (exceededLimits.length === 0) return
  logLine('WARN', 'account_above_limits', { account_id: accountId, limits: exceededLimits.map(({ name }) => name) })
  const { mailSender } = env
  if (mailSender === null) return
  const message = { from: mailSender, ...limitsMail(account, exceededLimits) }
  // Skips mails after the deadline. The next run sends them.
  const send = async ({ id, email: to }: { id: string; email: string }) => {
    if (clock.monotonic() < deadline) await mail(accountId, id, { ...message, to })
  }
  await attemptAll(
    await enabledAdministrators(accountId),
    width,
    send,
    'Some mails to administrators could not be sent.',
  )
}

async function mail(accountId: string, actorId: string, message: Mail): Promise<void> {
  const scheduleKey = { pk: limitsMailsPartition(accountId), sk: actorId }
  if (!(await reserveMail(scheduleKey, clock.now()))) return
  await sendMail(message)
  await recordMail(scheduleKey, clock.now(), interval)
}

type ExceededLimit = { name: string; used: number; total: number }

function limitsMail({ name, slug }: Pick<AccountRow, 'name' | 'slug'>, exceededLimits: ExceededLimit[]) {
  const lines = exceededLimits.map((limit) => `- ${limit.name.replaceAll('_', ' ')}: ${limit.used} of ${limit.total}`)
  const blocksSessions = exceededLimits.some(({ name }) => name === 'users' || name === 'service_accounts')
  return {
    subject: 'Your network access account exceeds its limits',
    text: [
      `The account ${name} (${slug}) exceeds these limits:`,
      '',
      ...lines,
      '',
      ...(blocksSessions
        ? ['While users or service accounts are above their limit, their clients cannot start new sessions.', '']
        : []),
      'Disable or delete what you no longer need, or ask the operator of the service for higher limits.',
      '',
    ].join('\n'),
  }
}

/** Partition with one item per administrator. The item stores when the next mail about exceeded limits may be sent. */
export const limitsMailsPartition = (account: string): string => partition(account, 'limits.mails')
