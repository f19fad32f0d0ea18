import { type Sweep, sweep, sweepAll } from '../../commit/sweep.ts'
import { rowsBy } from '../../table/read.ts'
import { actors } from '../actors/actor.ts'
import { externalIdentities } from '../external-identities/external-identity.ts'
import { deleteIssuedToken, tokensOfActor, tokensOfIssuers } from '../external-identities/issued-tokens.ts'
import { orphanPolicy } from '../groups/delete-group.ts'
import { groups } from '../groups/group.ts'
import { policies } from '../policies/policy.ts'

/**
 * Ends all access that comes from a directory: tokens and portal sessions of the actors it created, policies of its
 * groups, tokens and portal sessions made for its identities. To be asked in every part of one deletion until nothing is left.
 */
export function accessTaker(directoryId: string): Sweep {
  return sweepAll([
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
  ])
}
