import { membersPartition } from '#shared/table/keys.ts'
import { readMemberIds } from '#shared/table/member-ids.ts'

/** Returns the sorted ids of the stored members of a set. */
export const membersOf = (account: string, { name }: { name: string }, set: string): Promise<string[]> =>
  readMemberIds(membersPartition(account, name, set))
