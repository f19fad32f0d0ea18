import type { Subject } from '../auth/subject.ts'
import type { Item } from '../table/keys.ts'
import { logId } from './log-id.ts'
import { logItem } from './log-store.ts'

type SessionLog = { context: 'client' | 'gateway' | 'portal'; subject: Subject; at: number }

/** The entry of a created session (L7.1), for the transaction that creates it. `at` is in microseconds. */
export const sessionLogItem = (account: string, { context, subject, at }: SessionLog): Item =>
  logItem(account, 'session', logId('session', at), at, { context, subject })
