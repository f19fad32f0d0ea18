import { Actor, NewActorFields } from '#shared/domain/actors/actor.ts'
import * as actors from '#shared/domain/actors/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const createActor = operation(
  {
    method: 'POST',
    path: '/actors',
    summary: 'Create an actor',
    permission: 'actors:write',
    body: { envelope: 'actor', fields: NewActorFields },
    refusals: ['scope_exceeded', 'limit_reached'],
    response: data(Actor),
    status: 201,
    location: ({ data }) => `/actors/${data.id}`,
  },
  ({ author, raw, draft }) => actors.create(author, raw, draft),
)

export const handler = lambda(createActor)
