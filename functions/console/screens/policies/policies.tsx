import {
  type Collection,
  type Count,
  columnsOf,
  objectRoutes,
  type Row,
  switchState,
} from '../../collection/collection.ts'
import { texts } from '../../texts/texts.ts'
import { authorizationCount, authorizationsOf } from '../authorizations/authorizations.tsx'
import { ConditionsPart } from './conditions-part.tsx'

/** Policies of a group or resource. */
export const policiesOf = (filter: 'group_id' | 'resource_id'): Count => ({
  noun: 'policies',
  scope: 'policies',
  list: 'GET /policies',
  query: ({ id }) => ({ [filter]: id }),
})

/** Members of a group, by the field with its id. */
export const membersOf = (field: 'id' | 'group_id'): Count => ({
  noun: 'members',
  scope: 'groups',
  list: 'GET /groups/{group_id}/memberships',
  path: (row) => ({ group_id: String(row[field]) }),
  isShown: (row) => row[field] !== null,
})

/** States of a policy: why it grants nothing, or that it is enabled. */
export const policyStates = ({ group_id, is_disabled }: Row) => [
  ...(group_id === null ? [{ text: texts.badges.orphaned, tone: 'warn' as const }] : []),
  switchState(is_disabled),
]

export const policies: Collection = {
  noun: 'policies',
  scope: 'policies',
  address: '/policies',
  routes: objectRoutes('/policies'),
  envelope: 'policy',
  connects: [
    { field: 'group_id', to: 'groups' },
    { field: 'resource_id', to: 'resources' },
  ],
  columns: columnsOf<'GET /policies'>()(
    'group_id @groups, resource_id @resources, conditions conditions, description minor',
  ),
  facts: columnsOf<'GET /policies'>()(
    'group_id @groups, resource_id @resources, flow_log_uploads_enabled flag, description',
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
  counts: [authorizationCount('policy_id'), membersOf('group_id')],
  parts: [
    { key: 'conditions', label: texts.labels.conditions, noun: 'policies', scope: 'policies', render: ConditionsPart },
    {
      key: 'members',
      label: texts.labels.groupMembers,
      ...membersOf('group_id'),
      columns: columnsOf<'GET /groups/{group_id}/memberships'>()('name, type option'),
      opens: ({ id }) => `/actors/${id}`,
      explains: ({ resource_id }, actor) => `/access?resource=${resource_id}${actor ? `&actor=${actor.id}` : ''}`,
    },
    authorizationsOf('policy_id'),
  ],
}
