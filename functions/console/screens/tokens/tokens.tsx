import type { Collection } from '../../collection/collection.ts'
import { columnsOf } from '../../collection/collection.ts'
import { texts } from '../../texts/texts.ts'

/** API clients, whose details are those of actors: `/actors/{id}` with their tokens. */
export const tokens: Collection = {
  noun: 'tokens',
  scope: 'actors',
  address: '/tokens',
  opens: ({ id }) => `/actors/${id}`,
  query: { type: 'api_client' },
  routes: { list: 'GET /actors', create: 'POST /actors' },
  envelope: 'actor',
  columns: columnsOf<'GET /actors'>()('name', 'last_seen_at time', 'inserted_at time minor'),
  facts: [],
  fields: [
    { name: 'name', kind: 'text', isRequired: true },
    { name: 'type', kind: 'choice', options: ['api_client'], initial: 'api_client' },
  ],
  states: ({ is_disabled }) =>
    is_disabled ? [{ text: texts.badges.disabled, tone: 'warn' }] : [{ text: texts.badges.enabled, tone: 'quiet' }],
}
