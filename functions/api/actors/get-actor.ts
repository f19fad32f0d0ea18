import { Actor } from '#shared/actors/actor.ts'
import * as actors from '#shared/actors/store.ts'
import { data } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'

export const getActor = operation(
  { method: 'GET', path: '/actors/{id}', summary: 'Read an actor', permission: 'actors:read', response: data(Actor) },
  ({ accountId, params }) => actors.get(accountId, params.id),
)

export const handler = lambda(getActor)
