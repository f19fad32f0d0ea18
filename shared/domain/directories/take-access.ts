import type { Transaction } from '../../commit/transaction.ts'
import type { Entity, Row } from '../../table/entity.ts'
import { rowsBy } from '../../table/read.ts'
import { actors } from '../actors/actor.ts'
import { externalIdentities } from '../external-identities/external-identity.ts'
import { deleteIssuedToken, tokensOfActor, tokensOfIssuers } from '../external-identities/issued-tokens.ts'
import { orphanPolicy } from '../groups/delete-group.ts'
import { groups } from '../groups/group.ts'
import { policies } from '../policies/policy.ts'

const perPage = 50

type Sweep = (transaction: Transaction) => Promise<'done' | 'more'>

/**
 * Goes through the rows below a directory and takes what each gives, part by part. Only rows that were found to give
 * nothing are left behind, so that a part that lost a race can run again.
 */
function sweep<R extends Row, G>(
  entity: Entity<R>,
  field: string,
  directoryId: string,
  given: (transaction: Transaction, row: R) => Promise<G[]>,
  take: (transaction: Transaction, gift: G) => void,
): Sweep {
  let passed: string | undefined
  return async (transaction) => {
    let after = passed
    let found = 0
    for (;;) {
      const rows = await rowsBy(entity, transaction.accountId, field, directoryId, { after, limit: perPage })
      const gifts = (await Promise.all(rows.map((row) => given(transaction, row)))).flat()
      found += gifts.length
      for (const gift of gifts) {
        if (!transaction.hasRoom()) return 'more'
        take(transaction, gift)
      }
      if (rows.length < perPage) return 'done'
      after = rows.at(-1)?.id
      if (found === 0) passed = after
    }
  }
}

/**
 * Ends all access that comes from a directory: tokens and portal sessions of the actors it created, policies of its
 * groups, tokens and portal sessions made for its identities. To be asked in every part of one deletion until nothing is left.
 */
export function accessTaker(directoryId: string): Sweep {
  const sweeps = [
    sweep(
      actors,
      'created_by_directory_id',
      directoryId,
      (transaction, actor) => tokensOfActor(transaction, actor.id),
      deleteIssuedToken,
    ),
    sweep(
      groups,
      'directory_id',
      directoryId,
      async ({ accountId }, group) =>
        (await rowsBy(policies, accountId, 'group_id', group.id)).map((policy) => ({ policy, group })),
      (transaction, { policy, group }) => orphanPolicy(transaction, policy, group),
    ),
    sweep(
      externalIdentities,
      'directory_id',
      directoryId,
      (transaction, { actor_id, issuer }) => tokensOfIssuers(transaction, actor_id, new Set([issuer])),
      deleteIssuedToken,
    ),
  ]
  return async (transaction) => {
    for (const next of sweeps) if ((await next(transaction)) === 'more') return 'more'
    return 'done'
  }
}
