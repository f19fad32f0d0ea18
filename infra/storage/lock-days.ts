import type { Settings } from '../settings/settings.ts'

/** A year until locks are renewed, and 35 days for a renewal that fails or takes long. */
export const lockMarginDays = 400

/** Days for which an object of the sealed logs is locked; 0 where none is, as in a trial. */
export const lockDays = ({ keepData, sealRetentionDays }: Pick<Settings, 'keepData' | 'sealRetentionDays'>): number =>
  keepData && sealRetentionDays > 0 ? sealRetentionDays + lockMarginDays : 0
