import { Actor, NewActorFields } from '#shared/domain/actors/actor.ts'
import * as actors from '#shared/domain/actors/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'POST /actors',
  {
    summary: 'Create an actor',
    permission: 'actors:write',
    body: { envelope: 'actor', fields: NewActorFields },
    refusals: ['scope_exceeded', 'limit_reached'],
    response: data(Actor),
    location: true,
  },
  ({ author, raw, draft }) => actors.create(author, raw, draft),
)
