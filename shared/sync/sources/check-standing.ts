import type { AccountRow } from '../../domain/accounts/account.ts'
import type { Run } from '../runs/run.ts'
import { RunCancelled } from '../runs/step-end.ts'
import { isAllowed, isPreviewable } from './is-allowed.ts'
import type { SourceKind, SourceRow } from './sync-source.ts'

/** Whether a run may go on, as its source and its account are now. */
export function mayGoOn<R extends SourceRow>(
  run: Pick<Run, 'preview' | 'rewinds' | 'connection'>,
  kind: Pick<SourceKind<R>, 'feature' | 'connectionOf'>,
  row: R | null,
  account: AccountRow | null,
): boolean {
  if (row === null || account === null) return false
  // It asks no provider: neither what that is reached with nor whether it is enabled is of any matter.
  if (run.rewinds !== null) return !account.is_disabled
  const may = run.preview ? isPreviewable : isAllowed
  return may(kind, row, account) && kind.connectionOf(row) === run.connection
}

/** @throws RunCancelled where a run may not go on */
export function checkStanding<R extends SourceRow>(...given: Parameters<typeof mayGoOn<R>>): void {
  if (!mayGoOn(...given)) throw new RunCancelled()
}
