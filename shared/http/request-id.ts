import { randomUUID } from 'node:crypto'

/** The caller's request id if it is a sane one, otherwise a new one (A2.10). */
export const requestIdOf = (header: string | undefined): string =>
  header !== undefined && /^[A-Za-z0-9._-]{1,200}$/.test(header) ? header : randomUUID()
