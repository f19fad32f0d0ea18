import { ApiError, featureNotEnabled, notFound } from '../../core/errors.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { getRow } from '../../table/read.ts'
import type { Run } from '../runs/run.ts'
import { beginRun } from '../runs/run-store.ts'
import { isPreviewable } from './is-allowed.ts'
import type { SourceInfo, SourceRow } from './sync-source.ts'

/**
 * Begins a run because an administrator asks for it; the minute schedule takes it up (I4.1). One that is disabled can be
 * previewed alone.
 * @throws ApiError `not_found`, `feature_not_enabled`, `sync_disabled`, `sync_running`
 */
export async function requestRun<R extends SourceRow>(
  kind: SourceInfo<R>,
  accountId: string,
  id: string,
  { preview }: { preview: boolean },
): Promise<Run> {
  const [row, account] = await Promise.all([getRow(kind.entity, accountId, id), getRow(accounts, accountId, accountId)])
  if (!row) throw notFound()
  if (!isPreviewable(kind, row, account)) throw featureNotEnabled(kind.feature)
  if (row.is_disabled && !preview) throw new ApiError('sync_disabled', 'What is disabled can be previewed only.')
  return beginRun({
    account_id: accountId,
    collection: kind.entity.name,
    source_id: id,
    preview,
    connection: kind.connectionOf(row),
    objects: kind.objects,
  })
}
