import { Actor, actorTypes } from '#shared/domain/actors/actor.ts'
import * as actors from '#shared/domain/actors/store.ts'
import { list, operation } from '#shared/http/lambda.ts'
import { enumFilter, textFilter } from '#shared/values/filters.ts'

export const handler = operation(
  'GET /actors',
  {
    summary: 'List the actors',
    permission: 'actors:read',
    filters: { name: textFilter, email: textFilter, type: enumFilter(actorTypes) },
    response: list(Actor),
  },
  ({ accountId, page }) => actors.list(accountId, page),
)
