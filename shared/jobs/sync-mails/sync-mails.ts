import { partition } from '../../table/keys.ts'

/** Who mails about a directory or posture provider at the moment, by its id. */
export const syncMailsPartition = (account: string): string => partition(account, 'sync.mails')
