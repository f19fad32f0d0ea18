import { Actor } from '#shared/domain/actors/actor.ts'
import * as actors from '#shared/domain/actors/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { getActor } from './get-actor.ts'

export const deleteActor = operation(
  {
    method: 'DELETE',
    path: '/actors/{id}',
    summary: 'Delete an actor with its tokens, clients and memberships',
    permission: 'actors:write',
    etagFrom: getActor,
    refusals: ['own_actor', 'last_admin'],
    response: data(Actor),
  },
  ({ author, params }) => actors.remove(author, params.id),
)

export const handler = lambda(deleteActor)
