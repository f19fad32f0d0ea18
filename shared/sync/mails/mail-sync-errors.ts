import { commit } from '../../commit/commit.ts'
import { sendMail } from '../../core/aws/send-mail.ts'
import { clock, dayMicros, parseTimestamp, timestamp } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { attemptAll } from '../../core/work/in-parallel.ts'
import { type AccountRow, accounts } from '../../domain/accounts/account.ts'
import { enabledAdministrators } from '../../domain/actors/actor.ts'
import { directories } from '../../domain/directories/directory.ts'
import { reserveMail } from '../../domain/mails/mail-schedule.ts'
import { postureProviders } from '../../domain/posture-providers/posture-provider.ts'
import { readScheduledSyncs, type ScheduledSync, type SyncState } from '../../domain/sync/sync-state.ts'
import type { Entity, Row } from '../../table/entity.ts'
import { partition } from '../../table/keys.ts'
import { getRow } from '../../table/read.ts'

const concurrency = 4

type Source = Row & SyncState & { name: string }
const entities: ReadonlyMap<string, Entity<Source>> = new Map(
  [...Object.values(directories), postureProviders].map((entity) => [entity.name, entity]),
)

type Failing = Source & { error: string }

const isFailing = (row: Source | null): row is Failing =>
  row?.is_disabled === true && row.disabled_reason === 'sync error' && row.error !== null

/**
 * Emails the administrators of each account about directories and posture providers that a sync error has disabled (I8.1). The next
 * scheduled invocation retries failed emails.
 * @throws AggregateError with the errors of failed emails, after all other emails were sent
 */
export async function mailSyncErrors(deadline: number): Promise<void> {
  const { scheduled: syncs } = await readScheduledSyncs()
  const mailInTime = async (sync: ScheduledSync) => {
    if (clock.monotonic() < deadline) await mailAbout(sync)
  }
  await attemptAll(syncs, concurrency, mailInTime, 'Some mails about sync errors could not be sent.')
}

async function mailAbout({ account_id: accountId, collection, source_id: id }: ScheduledSync): Promise<void> {
  const { mailSender } = env
  const entity = entities.get(collection)
  const row = entity ? await getRow(entity, accountId, id) : null
  if (mailSender === null || !entity || !isFailing(row)) return
  const lastAt = row.error_emailed_at === null ? null : parseTimestamp(row.error_emailed_at)
  if (!isMailDue(row.error_mails, lastAt, clock.now())) return
  const account = await getRow(accounts, accountId, accountId)
  if (!account || account.is_disabled) return
  if (!(await reserveMail({ pk: syncMailsPartition(accountId), sk: id }, clock.now()))) return
  const message = { from: mailSender, ...syncErrorMail(account, collection, row) }
  const outcomes = await Promise.allSettled(
    (await enabledAdministrators(accountId)).map(({ email: to }) => sendMail({ ...message, to })),
  )
  if (outcomes.some(({ status }) => status === 'fulfilled')) await noteMail(accountId, entity, row)
  const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (failed.length > 0) throw new AggregateError(failed, 'Some mails to administrators could not be sent.')
}

const noteMail = (accountId: string, entity: Entity<Source>, { id, error }: Source) =>
  commit({ accountId, subject: null }, async (transaction) => {
    const row = await transaction.get(entity, id)
    if (!isFailing(row) || row.error !== error) return
    transaction.update(entity, row, { error_emailed_at: timestamp(transaction.now), error_mails: row.error_mails + 1 })
  })

/** Hour of the day (UTC) at which emails are sent (I8.1). */
const mailHour = 9

const dayOf = (micros: number): number => Math.floor(micros / dayMicros)

/**
 * Returns whether an email about a continuing error is due now (I8.1). The first three emails are sent daily, the next four every three
 * days, and the last three on Mondays.
 * @param mails number of emails sent for this error
 * @param lastAt time of the last email, in microseconds since 1970; null before the first email
 */
export function isMailDue(mails: number, lastAt: number | null, now: number): boolean {
  const date = new Date(now / 1_000)
  if (date.getUTCHours() !== mailHour) return false
  const since = lastAt === null ? Number.POSITIVE_INFINITY : dayOf(now) - dayOf(lastAt)
  if (mails < 3) return since >= 1
  if (mails < 7) return since >= 3
  return mails < 10 && date.getUTCDay() === 1 && since >= 1
}

const kinds: Record<string, string> = {
  suite_directories: 'suite directory',
  idp_directories: 'identity provider directory',
  tenant_directories: 'tenant directory',
  mdm_posture_providers: 'posture provider',
}

function syncErrorMail({ name: account, slug }: AccountRow, collection: string, row: Failing) {
  const { name, error, first_failed_at } = row
  const kind = kinds[collection] ?? collection.replaceAll('_', ' ')
  const since = first_failed_at === null ? '' : ` since ${first_failed_at}`
  return {
    subject: `Sync of ${name} has stopped`,
    text: [
      `The service disabled the ${kind} "${name}" of the account ${account} (${slug}), because its sync runs failed${since}:`,
      '',
      error,
      '',
      'It is not synchronized while it is disabled. Fix the error, then enable it again: a sync run starts at once.',
      '',
    ].join('\n'),
  }
}

/** Partition with one item per source, which contains the earliest time of the next email. The sort key is the source id. */
export const syncMailsPartition = (account: string): string => partition(account, 'sync.mails')
