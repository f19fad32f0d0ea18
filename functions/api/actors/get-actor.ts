import { Actor } from '#shared/domain/actors/actor.ts'
import * as actors from '#shared/domain/actors/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /actors/{id}',
  { summary: 'Read an actor', permission: 'actors:read', response: data(Actor) },
  ({ accountId, params }) => actors.get(accountId, params.id),
)
