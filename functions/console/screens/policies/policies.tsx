import { type Collection, columnsOf, type Row } from '../../collection/collection.ts'
import { texts } from '../../texts/texts.ts'
import { authorizationCount, authorizationsOf } from '../authorizations/authorizations.tsx'
import { ConditionsPart } from './conditions-part.tsx'

/** States of a policy: why it grants nothing, or that it is enabled. */
export const policyStates = ({ group_id, is_disabled }: Row) => [
  ...(group_id === null ? [{ text: texts.badges.orphaned, tone: 'warn' as const }] : []),
  is_disabled
    ? { text: texts.badges.disabled, tone: 'warn' as const }
    : { text: texts.badges.enabled, tone: 'quiet' as const },
]

export const policies: Collection = {
  noun: 'policies',
  scope: 'policies',
  address: '/policies',
  routes: {
    list: 'GET /policies',
    read: 'GET /policies/{id}',
    create: 'POST /policies',
    update: 'PATCH /policies/{id}',
    remove: 'DELETE /policies/{id}',
  },
  envelope: 'policy',
  connects: [
    { field: 'group_id', to: 'groups' },
    { field: 'resource_id', to: 'resources' },
  ],
  columns: columnsOf<'GET /policies'>()(
    'group_id @groups',
    'resource_id @resources',
    'conditions conditions',
    'description minor',
  ),
  facts: columnsOf<'GET /policies'>()(
    'group_id @groups',
    'resource_id @resources',
    'flow_log_uploads_enabled flag',
    'description',
  ),
  filters: [
    { name: 'group_id', to: 'groups' },
    { name: 'resource_id', to: 'resources' },
    { name: 'is_disabled', flag: true },
    { name: 'orphaned', flag: true },
  ],
  fields: [
    { name: 'group_id', kind: 'reference', to: 'groups', isRequired: true, decidesAccess: true },
    { name: 'resource_id', kind: 'reference', to: 'resources', isRequired: true, decidesAccess: true },
    { name: 'conditions', kind: 'conditions', initial: [], decidesAccess: true },
    { name: 'description', kind: 'long' },
    { name: 'flow_log_uploads_enabled', kind: 'flag', initial: true, hint: texts.hints.flowLog },
    { name: 'is_disabled', kind: 'flag', initial: false, decidesAccess: true },
  ],
  states: policyStates,
  counts: [
    authorizationCount('policy_id'),
    {
      noun: 'members',
      scope: 'groups',
      list: 'GET /groups/{group_id}/memberships',
      path: ({ group_id }) => ({ group_id: String(group_id) }),
      isShown: ({ group_id }) => group_id !== null,
    },
  ],
  parts: [
    { key: 'conditions', label: texts.labels.conditions, noun: 'policies', scope: 'policies', render: ConditionsPart },
    {
      key: 'members',
      label: texts.labels.groupMembers,
      noun: 'members',
      scope: 'groups',
      list: 'GET /groups/{group_id}/memberships',
      path: ({ group_id }) => ({ group_id: String(group_id) }),
      isShown: ({ group_id }) => group_id !== null,
      columns: columnsOf<'GET /groups/{group_id}/memberships'>()('name', 'type option'),
      opens: ({ id }) => `/actors/${id}`,
      explains: ({ resource_id }, actor) => `/access?resource=${resource_id}${actor ? `&actor=${actor.id}` : ''}`,
    },
    authorizationsOf('policy_id'),
  ],
}
