import * as v from 'valibot'
import { Actor, ActorFields } from '#shared/domain/actors/actor.ts'
import * as actors from '#shared/domain/actors/store.ts'
import { data, operation } from '#shared/http/lambda.ts'
import { handler as getActor } from './get-actor.ts'

export const handler = operation(
  'PATCH /actors/{id}',
  {
    summary: 'Change an actor',
    permission: 'actors:write',
    etagFrom: getActor.operation,
    body: { envelope: 'actor', fields: v.partial(ActorFields) },
    refusals: ['scope_exceeded', 'own_actor', 'last_admin', 'limit_reached'],
    response: data(Actor),
  },
  ({ author, params, draft }) => actors.update(author, params.id, draft),
)
