import { partition } from '../../table/keys.ts'

/** When each administrator is told next of exceeded limits, by id. */
export const limitsMailsPartition = (account: string): string => partition(account, 'limits.mails')
