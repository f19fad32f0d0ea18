import { columnsOf } from '../../collection/collection.ts'
import type { TokenKind } from '../../collection/token-part.tsx'
import { texts } from '../../texts/texts.ts'

export const apiTokens: TokenKind = {
  noun: 'apiTokens',
  list: 'GET /actors/{actor_id}/api_tokens',
  create: 'POST /actors/{actor_id}/api_tokens',
  remove: 'DELETE /actors/{actor_id}/api_tokens/{id}',
  envelope: 'api_token',
  columns: columnsOf<'GET /actors/{actor_id}/api_tokens'>()(
    'name',
    'scopes list',
    'last_seen_at time',
    'expires_at time',
  ),
  fields: [
    { name: 'name', kind: 'text', initial: '' },
    { name: 'scopes', kind: 'lines', initial: ['*:read'], isRequired: true, hint: texts.hints.scopes },
  ],
}

/** Tokens of service accounts, with which clients start sessions. */
export const clientTokens: TokenKind = {
  noun: 'clientTokens',
  list: 'GET /actors/{actor_id}/client_tokens',
  create: 'POST /actors/{actor_id}/client_tokens',
  remove: 'DELETE /actors/{actor_id}/client_tokens/{id}',
  envelope: 'client_token',
  columns: columnsOf<'GET /actors/{actor_id}/client_tokens'>()('id code', 'inserted_at time', 'expires_at time'),
  fields: [],
}
