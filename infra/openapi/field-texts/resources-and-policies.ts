import { id, type Texts, time } from './text.ts'

/** Resources, policies and what is asked about access. */
export const resourcesAndPoliciesTexts: Texts = {
  address: { description: 'IP, CIDR block or DNS name, normalised for its type.', example: 'wiki.example.com' },
  address_description: { description: 'A remark shown beside the address.', example: 'The company wiki' },
  at: { description: 'The instant that is meant; now when omitted.', example: time, format: 'date-time' },
  conditions: {
    description: 'The conditions that must all hold for the policy to grant access, at most one a property.',
  },
  device_ids: { description: 'Ids of all members, ascending, without duplicates.', example: [id] },
  filters: { description: 'The protocols and ports that are exposed; an empty list exposes all.' },
  flow_log_uploads_enabled: { description: 'Whether connections of the policy report flow logs.', example: true },
  ip_stack: { description: 'Which addresses a DNS name is resolved to; null for other types.', example: 'dual' },
  operator: { description: 'How the values are compared; `is_in` when omitted.', example: 'is_in' },
  ports: { description: 'Ports and port ranges; an empty list means all.', example: ['443', '8000 - 8080'] },
  property: {
    description: 'What the condition tests; `remote_ip_location_region` when omitted.',
    example: 'remote_ip_location_region',
  },
  protocol: { description: 'Transport protocol.', example: 'tcp' },
  region: { description: 'ISO 3166-1 alpha-2 code of a country or region.', example: 'DE' },
  values: { description: 'What the property is compared with.', example: ['DE', 'PL'] },
}
