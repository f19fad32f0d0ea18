import * as v from 'valibot'
import { Actor, ActorFields } from '#shared/domain/actors/actor.ts'
import * as actors from '#shared/domain/actors/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getActor } from './get-actor.ts'

export const updateActor = operation(
  {
    method: 'PATCH',
    alias: 'PUT',
    path: '/actors/{id}',
    summary: 'Change an actor',
    permission: 'actors:write',
    etagFrom: getActor,
    body: { envelope: 'actor', fields: v.partial(ActorFields) },
    refusals: ['scope_exceeded', 'own_actor', 'last_admin', 'limit_reached'],
    response: data(Actor),
  },
  ({ author, params, draft }) => actors.update(author, params.id, draft),
)

export const handler = lambda(updateActor)
