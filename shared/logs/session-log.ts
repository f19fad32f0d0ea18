import type { Subject } from '../core/subject.ts'
import type { Item } from '../table/keys.ts'
import { logId } from './log-id.ts'
import { logItems } from './log-store.ts'

type Created = {
  context: 'client' | 'gateway' | 'portal'
  subject: Subject
  /** When the session was created, in microseconds. */
  at: number
}

/** The entry of a created session (L7.1) and its pointers, for the transaction that creates it. */
export const sessionLogItems = (account: string, { at, ...entry }: Created): Item[] =>
  logItems(account, 'session', logId('session', at), at, entry)
