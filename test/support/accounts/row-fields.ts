import type { PolicyRow } from '#shared/domain/policies/policy.ts'
import type { ResourceRow } from '#shared/domain/resources/resource.ts'
import type { RowFields } from '#shared/table/entity.ts'

/** Fields of an enabled policy without conditions, for an existing group. */
export const openPolicy: Omit<RowFields<PolicyRow>, 'group_id' | 'resource_id'> = {
  group_idp_id: null,
  group_idp_provider: null,
  description: null,
  conditions: [],
  flow_log_uploads_enabled: true,
  is_disabled: false,
}

export const dnsResource = {
  type: 'dns',
  address_description: null,
  filters: [] as ResourceRow['filters'],
  ip_stack: 'dual',
} as const

export const hostFields = (i: number, site_id: string): RowFields<ResourceRow> => ({
  ...dnsResource,
  name: `Host ${i}`,
  address: `host-${i}.example.com`,
  site_id,
})
