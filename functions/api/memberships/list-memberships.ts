import * as v from 'valibot'
import { actorTypes } from '#shared/domain/actors/actor.ts'
import * as memberships from '#shared/domain/memberships/store.ts'
import { list, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /groups/{group_id}/memberships',
  {
    summary: 'List the members of a group',
    permission: 'groups:read',
    filters: {},
    response: list(v.object({ id: v.string(), actor_id: v.string(), name: v.string(), type: v.picklist(actorTypes) })),
  },
  ({ accountId, params, page }) => memberships.list(accountId, params.group_id, page),
)
