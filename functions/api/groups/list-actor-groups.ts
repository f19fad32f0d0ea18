import { accessList } from '#shared/access/access-list.ts'
import { listActorGroups } from '#shared/access/list-actor-groups.ts'
import { Group } from '#shared/domain/groups/group.ts'
import { operation } from '#shared/http/lambda.ts'

/** Lists the groups of an actor (K11.G4). */
export const handler = operation(
  'GET /actors/{actor_id}/groups',
  { summary: 'List the groups of an actor', permission: 'groups:read', filters: {}, response: accessList(Group) },
  ({ accountId, params, page }) => listActorGroups(accountId, params.actor_id, page),
)
