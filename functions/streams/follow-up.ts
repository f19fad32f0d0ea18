import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { type CommitRecord, readCommitRecord } from '#shared/commit/commit-record.ts'
import { revokeAll } from '#shared/commit/revoke.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { describeError } from '#shared/core/logging/describe-error.ts'
import { logLine } from '#shared/core/logging/log.ts'
import { consumer } from '#shared/core/work/consumer.ts'
import { workTime } from '#shared/core/work/work.ts'
import { finishFollowUp } from '#shared/jobs/follow-up/finish-follow-up.ts'
import {
  addCommit,
  addEndedAuthorization,
  emptyNotification,
  type Notification,
} from '#shared/jobs/nudges/notification.ts'
import { notifyDevices } from '#shared/jobs/nudges/notify-devices.ts'
import { handleInOrder, newImage, oldImage } from '#shared/table/stream-image.ts'

/** Time reserved before the function's timeout for the last follow-up work and revocations of a batch. */
const reserveMs = 30_000

/** Maximum time for notifying devices, which delays the next batch and its revocations. */
const maxNotifyMs = 15_000

/**
 * Completes the revocations of a commit and its follow-up work: rows below a deleted object (A29), the rest of a large set (A15.6). When
 * time runs short, each piece of follow-up work commits one part and defers the rest. Then notifies connected devices (C5), including about
 * expired authorizations. Every step is idempotent. Returns the first record that failed, so that a retry keeps the order.
 */
const followUpBatch = async (
  event: DynamoDBStreamEvent,
  context?: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<DynamoDBBatchResponse> => {
  const remainingMs = () => (context?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY) - reserveMs
  const notifications = new Map<string, Notification>()
  const response = await handleInOrder(event.Records, 'commit_not_followed_up', (record) =>
    handle(record, notifications, remainingMs),
  )
  await notifyAll(notifications)
  return response
}

async function handle(
  record: DynamoDBRecord,
  notifications: Map<string, Notification>,
  remainingMs: () => number,
): Promise<void> {
  if (record.eventName === 'REMOVE') {
    const authorization = oldImage(record)
    addEndedAuthorization(
      notificationFor(notifications, String(authorization.account_id)),
      authorization,
      timestamp(clock.now()),
    )
    return
  }
  const commit = readCommitRecord(newImage(record))
  await followUp(commit, remainingMs)
  addCommit(notificationFor(notifications, commit.account_id), commit)
}

function notificationFor(all: Map<string, Notification>, account: string): Notification {
  const notification = all.get(account) ?? emptyNotification()
  all.set(account, notification)
  return notification
}

async function followUp(
  { account_id, time, subject, run_id, revocations, follow_ups }: CommitRecord,
  remainingMs: () => number,
): Promise<void> {
  await revokeAll(account_id, revocations, time)
  for (const followUp of follow_ups) {
    const budgetMs = Math.min(workTime.delivery(), remainingMs())
    await finishFollowUp({ accountId: account_id, subject, runId: run_id }, followUp, budgetMs)
  }
}

/** Notifies devices until `maxNotifyMs` has passed. Errors are only logged, because a failed nudge merely delays a device (C5.4). */
async function notifyAll(notifications: Map<string, Notification>): Promise<void> {
  const end = clock.monotonic() + maxNotifyMs
  for (const [account, notification] of notifications) {
    await notifyDevices(account, notification, () => clock.monotonic() < end).catch((error: Error) =>
      logLine('WARN', 'devices_not_notified', { account_id: account, ...describeError(error) }),
    )
  }
}

export const handler = consumer('follow-up', followUpBatch)
