import { randomBytes } from 'node:crypto'
import type { Subject } from '../auth/subject.ts'
import type { Item } from '../table/keys.ts'
import { logId } from './log-id.ts'
import { logItem } from './log-key.ts'

type SessionLog = { context: 'client' | 'gateway' | 'portal'; subject: Subject; at: number }

/** The log entry of a new session, to be stored in the transaction that creates it (L7.1). `at` is in microseconds. */
export const sessionLogItem = (account: string, { context, subject, at }: SessionLog): Item =>
  logItem(account, 'session', logId('session', at, randomBytes(5).readUIntBE(0, 5)), { context, subject })
