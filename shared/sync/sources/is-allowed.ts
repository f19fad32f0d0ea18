import type { AccountRow } from '../../domain/accounts/account.ts'
import type { SourceInfo, SourceRow } from './sync-source.ts'

/** Whether runs of a source may change anything: it and its account are enabled, and the account has the feature (I4.1). */
export const isAllowed = <R extends SourceRow>(
  { feature }: Pick<SourceInfo<R>, 'feature'>,
  row: R | null,
  account: AccountRow | null,
): boolean => isPreviewable({ feature }, row, account) && row?.is_disabled === false

/** A source that is disabled can be previewed, so that nobody enables one blindly (I4.1(5)). */
export const isPreviewable = <R extends SourceRow>(
  { feature }: Pick<SourceInfo<R>, 'feature'>,
  row: R | null,
  account: AccountRow | null,
): boolean => row !== null && account !== null && !account.is_disabled && account.features[feature]
