import * as v from 'valibot'
import { entity, type Row } from '../table/entity.ts'

export const resourceTypes = ['cidr', 'ip', 'dns', 'internet', 'static_device_pool'] as const
export type ResourceType = (typeof resourceTypes)[number]

export const ipStacks = ['ipv4_only', 'ipv6_only', 'dual'] as const

export type ResourceRow = Row & {
  name: string
  type: ResourceType
  address: string | null
  address_description: string | null
  filters: { protocol: 'tcp' | 'udp' | 'icmp'; ports: string[] }[]
  ip_stack: (typeof ipStacks)[number] | null
  site_id: string | null
}

export const resources = entity<ResourceRow>({
  name: 'resources',
  unique: { 'resources.internet': (row) => (row.type === 'internet' ? 'internet' : null) },
  edges: {
    name: { value: (row) => row.name, counted: true },
    address: { value: (row) => row.address, counted: true },
    type: { value: (row) => row.type, counted: true },
    site_id: { value: (row) => row.site_id, counted: true },
    ip_stack: { value: (row) => row.ip_stack, counted: true },
  },
})

/** A resource as the API shows it (A18.1). */
export const Resource = v.object({
  id: v.string(),
  name: v.string(),
  type: v.picklist(resourceTypes),
  address: v.nullable(v.string()),
  address_description: v.nullable(v.string()),
  filters: v.array(v.object({ protocol: v.picklist(['tcp', 'udp', 'icmp']), ports: v.array(v.string()) })),
  ip_stack: v.nullable(v.picklist(ipStacks)),
  site_id: v.nullable(v.string()),
})
