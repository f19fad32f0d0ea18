import { Actor } from '#shared/domain/actors/actor.ts'
import { removeActor } from '#shared/domain/rules/delete-actor.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getActor } from './get-actor.ts'

export const handler = operation(
  'DELETE /actors/{id}',
  {
    summary: 'Delete an actor with its tokens, clients and memberships',
    permission: 'actors:write',
    etagFrom: getActor.operation,
    refusals: ['own_actor', 'last_admin'],
    response: data(Actor),
  },
  ({ author, params }) => removeActor(author, params.id),
)
