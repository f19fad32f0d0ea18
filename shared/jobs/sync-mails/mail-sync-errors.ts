import { commit } from '../../commit/commit.ts'
import { sendMail } from '../../core/aws/send-mail.ts'
import { clock, parseTimestamp, timestamp } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { enabledAdministrators } from '../../domain/actors/enabled-administrators.ts'
import { directories } from '../../domain/directories/directory.ts'
import { postureProviders } from '../../domain/posture-providers/posture-provider.ts'
import type { SyncState } from '../../domain/sync/sync-state.ts'
import { readTurns, type SyncTurn } from '../../domain/sync/sync-turn.ts'
import type { Entity, Row } from '../../table/entity.ts'
import { getRow } from '../../table/read.ts'
import { beginMail } from '../mails/mail-turn.ts'
import { isMailDue } from './mail-day.ts'
import { syncErrorMail } from './sync-error-mail.ts'
import { syncMailsPartition } from './sync-mails.ts'

/** Sources looked at together. */
const width = 4

type Source = Row & SyncState & { name: string }
const entities: ReadonlyMap<string, Entity<Source>> = new Map(
  [...Object.values(directories), postureProviders].map((entity) => [entity.name, entity as unknown as Entity<Source>]),
)

/** What stands and is mailed about: a run has disabled it, and nobody has enabled it since. Who disables it himself needs no mail. */
const isFailing = (row: Source | null): row is Source & { error: string } =>
  row?.is_disabled === true && row.disabled_reason === 'sync error' && row.error !== null

const isDue = (row: Source, now: number) =>
  isMailDue(row.error_mails, row.error_emailed_at === null ? null : parseTimestamp(row.error_emailed_at), now)

/**
 * Mails the administrators of each account about directories and posture providers that an error has disabled (I8.1). A mail
 * that fails is tried again at the next time of the schedule.
 * @throws AggregateError of what failed; it does not hold up the rest
 */
export async function mailSyncErrors(deadline: number): Promise<void> {
  const errors: unknown[] = []
  const { turns } = await readTurns()
  await inParallel(turns, width, async (turn) => {
    if (Date.now() < deadline) await mailAbout(turn).catch((error) => void errors.push(error))
  })
  if (errors.length > 0) throw new AggregateError(errors, 'Some administrators were not mailed about sync errors.')
}

async function mailAbout({ account_id: accountId, collection, source_id: id }: SyncTurn): Promise<void> {
  const { mailSender } = env
  const entity = entities.get(collection)
  const row = entity ? await getRow(entity, accountId, id) : null
  if (mailSender === null || !entity || !isFailing(row) || !isDue(row, clock.now())) return
  const account = await getRow(accounts, accountId, accountId)
  if (!account || account.is_disabled || !(await beginMail({ pk: syncMailsPartition(accountId), sk: id }, clock.now())))
    return
  const message = { from: mailSender, ...syncErrorMail(account, collection, row) }
  const outcomes = await Promise.allSettled(
    (await enabledAdministrators(accountId)).map(({ email: to }) => sendMail({ ...message, to })),
  )
  if (outcomes.some(({ status }) => status === 'fulfilled')) await noteMail(accountId, entity, row)
  const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (failed.length > 0) throw new AggregateError(failed, 'Some administrators were not mailed.')
}

/** One mail more for this error, unless it was enabled meanwhile. */
const noteMail = (accountId: string, entity: Entity<Source>, { id, error }: Source) =>
  commit({ accountId, subject: null }, async (transaction) => {
    const row = await transaction.get(entity, id)
    if (!isFailing(row) || row.error !== error) return
    transaction.update(entity, row, { error_emailed_at: timestamp(transaction.now), error_mails: row.error_mails + 1 })
  })
