import { ApiError, featureNotEnabled, notFound } from '../../core/errors.ts'
import { type AccountRow, accounts } from '../../domain/accounts/account.ts'
import type { LastGoodRun } from '../../domain/sync/sync-state.ts'
import { getRow } from '../../table/read.ts'
import type { PlanResult } from './plan.ts'
import type { Run, SourceInfo, SourceRow } from './run.ts'
import { beginRun } from './run-store.ts'
import { RunCancelled, type RunWork } from './run-work.ts'

/**
 * Kind of source with the phases of its runs. All other code for runs, such as steps, leases and the deletion brake, is shared by all
 * kinds.
 */
export type SourceKind<R extends SourceRow = SourceRow> = SourceInfo<R> & {
  /** Additional field values to write to the source after a fatal failure (I6). */
  onFatal?: Partial<R>
  onSuccess?: Partial<R>
  /**
   * Opens a source with its credentials.
   * @param deadline end of the step in milliseconds since 1970
   */
  open(row: R, deadline: number): Promise<OpenSource>
}

export type OpenSource = {
  /** Reads all lists, completes the snapshot and sets `run.root`. */
  read(work: RunWork, last: LastGoodRun | undefined): Promise<void>
  plan(work: RunWork): Promise<PlanResult>
  /** Returns the ids of absent people who are still active and assigned at the provider (I5.2). */
  confirm?(idpIds: string[]): Promise<string[]>
  apply(work: RunWork): Promise<void>
}

export const readSource = <R extends SourceRow>(
  { entity }: Pick<SourceInfo<R>, 'entity'>,
  account: string,
  id: string,
) => Promise.all([getRow(entity, account, id), getRow(accounts, account, account)])

type Kind = Pick<SourceInfo, 'feature'>

/** Returns whether runs may change data: the source, its account and the feature must be enabled (I4.1). */
export const isAllowed = (kind: Kind, row: SourceRow | null, account: AccountRow | null): boolean =>
  isPreviewable(kind, row, account) && row?.is_disabled === false

/**
 * Returns whether a preview may run. The source may be disabled, because administrators preview a source before they enable it (I4.1(5)).
 */
const isPreviewable = ({ feature }: Kind, row: SourceRow | null, account: AccountRow | null): boolean =>
  row !== null && account !== null && !account.is_disabled && account.features[feature]

export function mayContinue(
  run: Pick<Run, 'preview' | 'rewinds' | 'connection'>,
  kind: Pick<SourceInfo, 'feature' | 'connectionOf'>,
  row: SourceRow | null,
  account: AccountRow | null,
): boolean {
  if (row === null || account === null) return false
  // Lets a rewind continue even if the source was disabled or changed, because a rewind does not call the provider.
  if (run.rewinds !== null) return !account.is_disabled
  const may = run.preview ? isPreviewable : isAllowed
  return may(kind, row, account) && kind.connectionOf(row) === run.connection
}

export function checkMayContinue(...given: Parameters<typeof mayContinue>): void {
  if (!mayContinue(...given)) throw new RunCancelled()
}

/**
 * Begins a run that an administrator has requested. The schedule executes the first step within a minute (I4.1).
 * @throws ApiError `not_found`, `feature_not_enabled`, `sync_disabled`, `sync_running`
 */
export async function requestRun<R extends SourceRow>(
  kind: SourceInfo<R>,
  accountId: string,
  id: string,
  { preview }: { preview: boolean },
): Promise<Run> {
  const [row, account] = await readSource(kind, accountId, id)
  if (!row) throw notFound()
  if (!isPreviewable(kind, row, account)) throw featureNotEnabled(kind.feature)
  if (row.is_disabled && !preview)
    throw new ApiError(
      'sync_disabled',
      'A disabled directory or posture provider can only be previewed. Enable it to synchronize.',
    )
  return beginRun(kind, row, { preview })
}
