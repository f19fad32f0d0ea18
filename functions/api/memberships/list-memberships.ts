import * as v from 'valibot'
import { actorTypes } from '#shared/domain/actors/actor.ts'
import * as memberships from '#shared/domain/memberships/store.ts'
import { list } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const listMemberships = operation(
  {
    method: 'GET',
    path: '/groups/{group_id}/memberships',
    summary: 'List the members of a group',
    permission: 'groups:read',
    filters: {},
    response: list(v.object({ id: v.string(), actor_id: v.string(), name: v.string(), type: v.picklist(actorTypes) })),
  },
  ({ accountId, params, page }) => memberships.list(accountId, params.group_id, page),
)

export const handler = lambda(listMemberships)
