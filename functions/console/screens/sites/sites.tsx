import { type Collection, columnsOf } from '../../collection/collection.ts'
import { texts } from '../../texts/texts.ts'
import { SiteTokenPart } from '../gateways/gateway-token-part.tsx'
import { gatewayColumns, gatewayStates } from '../gateways/gateways.tsx'

export const sites: Collection = {
  noun: 'sites',
  scope: 'sites',
  address: '/sites',
  routes: {
    list: 'GET /sites',
    read: 'GET /sites/{id}',
    create: 'POST /sites',
    update: 'PATCH /sites/{id}',
    remove: 'DELETE /sites/{id}',
  },
  envelope: 'site',
  columns: columnsOf<'GET /sites'>()('name', 'id code minor'),
  facts: [],
  fields: [{ name: 'name', kind: 'text', isRequired: true }],
  typesName: true,
  counts: [
    { noun: 'gateways', scope: 'gateways', list: 'GET /sites/{site_id}/gateways', path: ({ id }) => ({ site_id: id }) },
    { noun: 'resources', scope: 'resources', list: 'GET /resources', query: ({ id }) => ({ site_id: id }) },
  ],
  parts: [
    {
      key: 'gateways',
      noun: 'gateways',
      scope: 'gateways',
      list: 'GET /sites/{site_id}/gateways',
      path: ({ id }) => ({ site_id: id }),
      columns: gatewayColumns,
      states: gatewayStates,
      opensIn: (site, { id }) => `/sites/${site.id}/gateways/${id}`,
      creates: ({ id }) => `/sites/${id}/gateways/new`,
      hint: texts.purpose.gateways,
    },
    {
      key: 'resources',
      noun: 'resources',
      scope: 'resources',
      list: 'GET /resources',
      query: ({ id }) => ({ site_id: id }),
      columns: columnsOf<'GET /resources'>()('name', 'type option', 'address code'),
      opens: ({ id }) => `/resources/${id}`,
      creates: ({ id }) => `/resources/new?site_id=${id}`,
    },
    { key: 'tokens', label: texts.labels.siteTokens, noun: 'gateways', scope: 'tokens', render: SiteTokenPart },
  ],
}
