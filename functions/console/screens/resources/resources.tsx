import { type Collection, columnsOf, type Values } from '../../collection/collection.ts'
import { type MemberSet, MembersPart } from '../../collection/members-part.tsx'
import { texts } from '../../texts/texts.ts'
import { authorizationCount, authorizationsOf } from '../authorizations/authorizations.tsx'

const isPool = ({ type }: Values): boolean => type === 'static_device_pool'

const poolMembers: MemberSet = {
  noun: 'clients',
  scope: 'resources',
  of: 'clients',
  list: 'GET /resources/{resource_id}/pool_members',
  edit: 'PATCH /resources/{resource_id}/pool_members',
  parameter: 'resource_id',
  envelope: 'pool_members',
  columns: columnsOf<'GET /resources/{resource_id}/pool_members'>()('name', 'last_seen_at time'),
}

export const resources: Collection = {
  noun: 'resources',
  scope: 'resources',
  address: '/resources',
  routes: {
    list: 'GET /resources',
    read: 'GET /resources/{id}',
    create: 'POST /resources',
    update: 'PATCH /resources/{id}',
    remove: 'DELETE /resources/{id}',
  },
  envelope: 'resource',
  columns: columnsOf<'GET /resources'>()(
    'name',
    'type option',
    'address code',
    'filters filters minor',
    'site_id @sites',
  ),
  facts: columnsOf<'GET /resources'>()(
    'type option',
    'address code',
    'site_id @sites',
    'filters filters',
    'ip_stack option',
    'address_description',
  ),
  filters: [
    { name: 'type', options: ['dns', 'ip', 'cidr', 'static_device_pool'] },
    { name: 'site_id', to: 'sites' },
    { name: 'address' },
  ],
  fields: [
    { name: 'name', kind: 'text', isRequired: true },
    {
      name: 'type',
      kind: 'choice',
      options: ['dns', 'ip', 'cidr'],
      initial: 'dns',
      decidesAccess: true,
      isShown: (values) => !isPool(values),
    },
    {
      name: 'address',
      kind: 'text',
      isRequired: true,
      hint: texts.hints.address,
      decidesAccess: true,
      isShown: (values) => !isPool(values),
    },
    {
      name: 'site_id',
      kind: 'reference',
      to: 'sites',
      isRequired: true,
      hint: texts.hints.site,
      decidesAccess: true,
      isShown: (values) => !isPool(values),
    },
    {
      name: 'ip_stack',
      kind: 'choice',
      options: ['dual', 'ipv4_only', 'ipv6_only'],
      initial: 'dual',
      decidesAccess: true,
      isShown: ({ type }) => type === 'dns',
    },
    { name: 'filters', kind: 'ports', initial: [] },
    { name: 'address_description', kind: 'text' },
  ],
  lockOf: (row) => (row.type === 'internet' ? texts.reasons.internet : undefined),
  counts: [
    { noun: 'policies', scope: 'policies', list: 'GET /policies', query: ({ id }) => ({ resource_id: id }) },
    { noun: 'people', scope: 'policies', list: 'GET /access/resources/{id}/actors', path: ({ id }) => ({ id }) },
    authorizationCount('resource_id'),
  ],
  parts: [
    {
      key: 'access',
      label: texts.labels.access,
      noun: 'people',
      scope: 'policies',
      list: 'GET /access/resources/{id}/actors',
      path: ({ id }) => ({ id }),
      columns: columnsOf<'GET /access/resources/{id}/actors'>()('name', 'type option', 'policies policies'),
      opens: ({ id }) => `/actors/${id}`,
      explains: ({ id }, actor) => `/access?resource=${id}${actor ? `&actor=${actor.id}` : ''}`,
      hint: texts.hints.noAccess,
    },
    {
      key: 'policies',
      noun: 'policies',
      scope: 'policies',
      list: 'GET /policies',
      query: ({ id }) => ({ resource_id: id }),
      columns: columnsOf<'GET /policies'>()('group_id @groups', 'conditions conditions', 'description minor'),
      opens: ({ id }) => `/policies/${id}`,
      creates: ({ id }) => `/policies/new?resource_id=${id}`,
    },
    {
      key: 'pool',
      label: texts.labels.poolMembers,
      noun: 'clients',
      scope: 'resources',
      isShown: isPool,
      render: (props) => <MembersPart set={poolMembers} {...props} />,
    },
    authorizationsOf('resource_id'),
  ],
}
