import { Actor, actorTypes } from '#shared/domain/actors/actor.ts'
import * as actors from '#shared/domain/actors/store.ts'
import { list } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'
import { enumFilter, textFilter } from '#shared/values/filters.ts'

export const listActors = operation(
  {
    method: 'GET',
    path: '/actors',
    summary: 'List the actors',
    permission: 'actors:read',
    filters: { name: textFilter, email: textFilter, type: enumFilter(actorTypes) },
    response: list(Actor),
  },
  ({ accountId, page }) => actors.list(accountId, page),
)

export const handler = lambda(listActors)
