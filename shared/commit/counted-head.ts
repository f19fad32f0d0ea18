import type { Head } from '../table/head.ts'
import { commitKey, sealKey } from '../table/keys.ts'
import { getItem, queryItems } from '../table/read.ts'
import { readCommitRecord } from './commit-record.ts'

/** So many commits are counted again by a commit that waits for it. */
const mostCounted = 100

/**
 * The head with the number of entries so far. After a commit of a version that did not count, it is what the newest
 * checkpoint of the sealed log covers, and the few commits since; where there is none yet, the number stays unknown.
 */
export async function countedHead(account: string, head: Head): Promise<Head> {
  if (head.leaves !== undefined) return head
  const sealed = await getItem<{ size?: number; sequence?: number }>(sealKey(account, 'changes'))
  if (sealed?.size === undefined || sealed.sequence === undefined) return head
  const { pk, sk } = commitKey(account, sealed.sequence)
  const commits = (await queryItems(pk, { after: sk, limit: mostCounted + 1 })).map(readCommitRecord)
  if (commits.length !== head.sequence - sealed.sequence || commits.length > mostCounted) return head
  return { ...head, leaves: commits.reduce((sum, { changes }) => sum + changes.length, sealed.size) }
}
