import { type Collection, columnsOf, type Row } from '../../collection/collection.ts'
import { TokenPart } from '../../collection/token-part.tsx'
import { texts } from '../../texts/texts.ts'
import { authorizationCount, authorizationsOf } from '../authorizations/authorizations.tsx'
import { clientColumns, clientStates } from '../clients/clients.tsx'
import { apiTokens, clientTokens } from '../tokens/token-kinds.ts'
import { PortalSessions } from './portal-sessions.tsx'

const isPerson = ({ type }: Row): boolean => type === 'account_user' || type === 'account_admin_user'
const hasEmail = ({ type }: { type?: unknown }): boolean => type === 'account_user' || type === 'account_admin_user'

/** Scopes of a person who only reads (G14). */
const readOnly = ['*:read']

export const actors: Collection = {
  noun: 'actors',
  scope: 'actors',
  address: '/actors',
  routes: {
    list: 'GET /actors',
    read: 'GET /actors/{id}',
    create: 'POST /actors',
    update: 'PATCH /actors/{id}',
    remove: 'DELETE /actors/{id}',
  },
  envelope: 'actor',
  columns: columnsOf<'GET /actors'>()('name', 'email', 'type option', 'last_seen_at time minor'),
  facts: columnsOf<'GET /actors'>()(
    'email',
    'type option',
    'last_seen_at time',
    'allow_email_otp_sign_in flag',
    'portal_scopes flag',
    'created_by_directory_id code',
    'inserted_at time',
    'updated_at time',
  ),
  hidesBlank: true,
  filters: [
    { name: 'type', options: ['account_user', 'account_admin_user', 'service_account', 'api_client'] },
    { name: 'email' },
    { name: 'is_disabled', flag: true },
  ],
  fields: [
    { name: 'name', kind: 'text', isRequired: true },
    {
      name: 'type',
      kind: 'choice',
      options: ['account_user', 'account_admin_user', 'service_account', 'api_client'],
      initial: 'account_user',
      only: 'create',
    },
    {
      name: 'type',
      kind: 'choice',
      options: ['account_user', 'account_admin_user'],
      only: 'update',
      isShown: hasEmail,
      decidesAccess: true,
    },
    { name: 'email', kind: 'text', isRequired: true, isShown: hasEmail, hint: texts.hints.email, decidesAccess: true },
    { name: 'allow_email_otp_sign_in', kind: 'flag', initial: false, isShown: hasEmail, hint: texts.hints.passcode },
    {
      name: 'portal_scopes',
      kind: 'flag',
      on: readOnly,
      hint: texts.hints.portalScopes,
      consequence: texts.confirm.portalSessionsEnd,
      isShown: (values, { scopes, actor }, id) => hasEmail(values) && scopes.includes('*') && id !== actor.id,
    },
    { name: 'is_disabled', kind: 'flag', initial: false, only: 'update', decidesAccess: true },
  ],
  states: ({ is_disabled, portal_scopes }) => [
    is_disabled ? { text: texts.badges.disabled, tone: 'warn' } : { text: texts.badges.enabled, tone: 'quiet' },
    ...(portal_scopes ? [{ text: texts.badges.onlyReads, tone: 'neutral' as const }] : []),
  ],
  counts: [
    authorizationCount('actor_id'),
    { noun: 'reachable', scope: 'policies', list: 'GET /access/actors/{id}/resources', path: ({ id }) => ({ id }) },
    {
      noun: 'clients',
      scope: 'clients',
      list: 'GET /clients',
      query: ({ id }) => ({ actor_id: id }),
      filter: 'actor_id',
    },
    {
      noun: 'apiTokens',
      scope: 'tokens',
      list: 'GET /actors/{actor_id}/api_tokens',
      path: ({ id }) => ({ actor_id: id }),
      isShown: ({ type }) => type === 'api_client',
    },
    {
      noun: 'clientTokens',
      scope: 'tokens',
      list: 'GET /actors/{actor_id}/client_tokens',
      path: ({ id }) => ({ actor_id: id }),
      isShown: ({ type }) => type !== 'api_client',
    },
    {
      noun: 'portalSessions',
      scope: 'tokens',
      list: 'GET /actors/{actor_id}/portal_sessions',
      path: ({ id }) => ({ actor_id: id }),
      isShown: isPerson,
    },
  ],
  parts: [
    {
      key: 'access',
      label: texts.labels.reaches,
      noun: 'reachable',
      scope: 'policies',
      list: 'GET /access/actors/{id}/resources',
      path: ({ id }) => ({ id }),
      columns: columnsOf<'GET /access/actors/{id}/resources'>()(
        'name',
        'type option',
        'address code',
        'site_id @sites minor',
        'policies policies',
      ),
      opens: ({ id }) => `/resources/${id}`,
      explains: ({ id }, resource) => `/access?actor=${id}${resource ? `&resource=${resource.id}` : ''}`,
      isShown: ({ type }) => type !== 'api_client',
      hint: texts.hints.reachesNothing,
    },
    {
      key: 'groups',
      noun: 'groups',
      scope: 'groups',
      list: 'GET /actors/{actor_id}/groups',
      path: ({ id }) => ({ actor_id: id }),
      columns: columnsOf<'GET /groups'>()('name', 'entity_type option'),
      opens: ({ id }) => `/groups/${id}`,
      isShown: ({ type }) => type !== 'api_client',
    },
    {
      key: 'clients',
      noun: 'clients',
      scope: 'clients',
      list: 'GET /clients',
      query: ({ id }) => ({ actor_id: id }),
      filter: 'actor_id',
      columns: clientColumns,
      states: clientStates,
      opens: ({ id }) => `/clients/${id}`,
      isShown: ({ type }) => type !== 'api_client',
    },
    {
      key: 'identities',
      noun: 'identities',
      scope: 'actors',
      list: 'GET /actors/{actor_id}/external_identities',
      path: ({ id }) => ({ actor_id: id }),
      columns: columnsOf<'GET /actors/{actor_id}/external_identities'>()(
        'name',
        'email',
        'issuer link',
        'inserted_at time minor',
      ),
      isShown: isPerson,
    },
    {
      key: 'tokens',
      noun: 'apiTokens',
      scope: 'tokens',
      isShown: ({ type }) => type === 'api_client',
      render: ({ row }) => <TokenPart kind={apiTokens} row={row} />,
    },
    {
      key: 'client_tokens',
      noun: 'clientTokens',
      scope: 'tokens',
      isShown: ({ type }) => type === 'service_account',
      render: ({ row }) => <TokenPart kind={clientTokens} row={row} />,
    },
    {
      key: 'sign_ins',
      label: texts.labels.signIns,
      noun: 'clientTokens',
      scope: 'tokens',
      list: 'GET /actors/{actor_id}/client_tokens',
      path: ({ id }) => ({ actor_id: id }),
      columns: columnsOf<'GET /actors/{actor_id}/client_tokens'>()('id code', 'inserted_at time', 'expires_at time'),
      isShown: isPerson,
    },
    { key: 'portal_sessions', noun: 'portalSessions', scope: 'tokens', isShown: isPerson, render: PortalSessions },
    authorizationsOf('actor_id'),
  ],
}
