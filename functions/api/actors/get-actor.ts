import { Actor } from '#shared/domain/actors/actor.ts'
import * as actors from '#shared/domain/actors/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const getActor = operation(
  { method: 'GET', path: '/actors/{id}', summary: 'Read an actor', permission: 'actors:read', response: data(Actor) },
  ({ accountId, params }) => actors.get(accountId, params.id),
)

export const handler = lambda(getActor)
