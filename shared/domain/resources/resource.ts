import * as v from 'valibot'
import { entity, type Row } from '../../table/entity.ts'
import { documented, field, maxKeys, withRules } from '../../values/field.ts'
import { NullableText, OneOf, orNull, Text, TrimmedText, Uuid } from '../../values/fields.ts'
import { textPattern } from '../../values/text.ts'
import { checkFilters, type IpFilter, maxFilters, maxPorts, portsSchema, protocols } from './filters.ts'

const resourceTypes = ['cidr', 'ip', 'dns', 'internet', 'static_device_pool'] as const
export type ResourceType = (typeof resourceTypes)[number]

export const ipStacks = ['ipv4_only', 'ipv6_only', 'dual'] as const

export type ResourceRow = Row & v.InferOutput<typeof Resource>

export const resources = entity<ResourceRow>({
  name: 'resources',
  defaults: { address: null, address_description: null, ip_stack: null, site_id: null },
  unique: { 'resources.internet': (row) => (row.type === 'internet' ? 'internet' : null) },
  indexes: {
    name: { value: (row) => row.name, counted: true },
    address: { value: (row) => row.address, counted: true },
    type: { value: (row) => row.type, counted: true },
    site_id: { value: (row) => row.site_id, counted: true },
    ip_stack: { value: (row) => row.ip_stack, counted: true },
  },
})

/** Resource in API responses (A18.1). */
export const Resource = v.object({
  id: v.string(),
  name: v.string(),
  type: v.picklist(resourceTypes),
  address: v.nullable(v.string()),
  address_description: v.nullable(v.string()),
  filters: v.array(v.object({ protocol: v.picklist(protocols), ports: v.array(v.string()) })),
  ip_stack: v.nullable(v.picklist(ipStacks)),
  site_id: v.nullable(v.string()),
})

export const Filters = field<IpFilter[]>(checkFilters, {
  type: 'array',
  maxItems: maxFilters,
  items: {
    type: 'object',
    maxProperties: maxKeys,
    required: ['protocol'],
    properties: {
      protocol: { type: 'string', enum: protocols },
      ports: { type: 'array', maxItems: maxPorts, items: portsSchema },
    },
  },
})

/** Schema of an address. The type-specific checks run once the resource's type is known (A18.2). */
const Address = documented(orNull(TrimmedText), { maxLength: 253, pattern: textPattern.any })

const inputFields = {
  name: Text(255),
  type: OneOf(resourceTypes),
  site_id: Uuid,
  address: v.optional(Address),
  address_description: v.optional(NullableText(255)),
  ip_stack: v.optional(orNull(OneOf(ipStacks))),
  filters: v.optional(Filters),
}

/** Fields of a resource that a request can set (A18.2). */
export const ResourceFields = v.object(inputFields)
export type ResourceInput = v.InferOutput<typeof ResourceFields>

/** Fields of a new resource. An address and a type that callers can create (A18.3) are required. */
export const NewResourceFields = withRules(inputFields, {
  required: ['address'],
  properties: {
    type: { enum: ['cidr', 'ip', 'dns'] },
    address: { type: 'string', minLength: 1, pattern: textPattern.filled },
  },
  anyOf: [
    { properties: { type: { enum: ['dns'] } } },
    { properties: { type: { enum: ['cidr', 'ip'] }, ip_stack: { type: 'null' } } },
  ],
})
