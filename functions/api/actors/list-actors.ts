import { Actor, actorTypes } from '#shared/domain/actors/actor.ts'
import * as actors from '#shared/domain/actors/store.ts'
import { operation, scannedList } from '#shared/http/lambda.ts'
import { boolFilter, enumFilter, textFilter, timestampFilter } from '#shared/values/filters.ts'

export const handler = operation(
  'GET /actors',
  {
    summary: 'List the actors',
    permission: 'actors:read',
    filters: {
      name: textFilter,
      email: textFilter,
      type: enumFilter(actorTypes),
      is_disabled: boolFilter,
      not_seen_since: timestampFilter,
    },
    response: scannedList(Actor),
  },
  ({ accountId, page }) => actors.list(accountId, page),
)
