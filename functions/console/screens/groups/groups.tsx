import { type Collection, columnsOf, type Row } from '../../collection/collection.ts'
import { type MemberSet, MembersPart } from '../../collection/members-part.tsx'
import { texts } from '../../texts/texts.ts'
import { policyStates } from '../policies/policies.tsx'

const members: MemberSet = {
  noun: 'members',
  scope: 'groups',
  of: 'actors',
  list: 'GET /groups/{group_id}/memberships',
  edit: 'PATCH /groups/{group_id}/memberships',
  parameter: 'group_id',
  envelope: 'memberships',
  columns: columnsOf<'GET /groups/{group_id}/memberships'>()('name', 'type option'),
}

/** True for the group of all users, which has this name and belongs to no directory. Own groups cannot have the name (A14.2). */
const isManaged = ({ name, idp_id }: Row): boolean => name === 'Everyone' && idp_id === null

export const groups: Collection = {
  noun: 'groups',
  scope: 'groups',
  address: '/groups',
  routes: {
    list: 'GET /groups',
    read: 'GET /groups/{id}',
    create: 'POST /groups',
    update: 'PATCH /groups/{id}',
    remove: 'DELETE /groups/{id}',
  },
  envelope: 'group',
  columns: columnsOf<'GET /groups'>()('name', 'entity_type option minor', 'email minor', 'updated_at time'),
  facts: columnsOf<'GET /groups'>()(
    'entity_type option',
    'email',
    'directory_id code',
    'idp_id code',
    'synced_at time',
    'inserted_at time',
    'updated_at time',
  ),
  hidesBlank: true,
  filters: [{ name: 'entity_type', options: ['group', 'org_unit'] }],
  fields: [{ name: 'name', kind: 'text', isRequired: true }],
  states: (row) => [
    ...(isManaged(row) ? [{ text: texts.badges.managed, tone: 'neutral' as const }] : []),
    ...(row.idp_id === null ? [] : [{ text: texts.badges.synced, tone: 'neutral' as const }]),
  ],
  lockOf: (row, action) => {
    if (isManaged(row)) return texts.reasons.managed
    return row.idp_id !== null && action === 'update' ? texts.reasons.synced : undefined
  },
  counts: [
    {
      noun: 'members',
      scope: 'groups',
      list: 'GET /groups/{group_id}/memberships',
      path: ({ id }) => ({ group_id: id }),
    },
    { noun: 'policies', scope: 'policies', list: 'GET /policies', query: ({ id }) => ({ group_id: id }) },
  ],
  parts: [
    { key: 'members', noun: 'members', scope: 'groups', render: (props) => <MembersPart set={members} {...props} /> },
    {
      key: 'policies',
      noun: 'policies',
      scope: 'policies',
      list: 'GET /policies',
      query: ({ id }) => ({ group_id: id }),
      columns: columnsOf<'GET /policies'>()('resource_id @resources', 'conditions conditions', 'description minor'),
      states: policyStates,
      opens: ({ id }) => `/policies/${id}`,
      creates: ({ id }) => `/policies/new?group_id=${id}`,
    },
  ],
}
