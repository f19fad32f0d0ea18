import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { Operation } from '#shared/http/operation.ts'
import type { JsonSchema } from '#shared/values/field.ts'
import { regionCodes } from '#shared/values/regions.ts'
import { textPattern } from '#shared/values/text.ts'
import { openIdProvider, samlProvider } from '../accounts/v0-providers.ts'
import { closeRecord } from '../logs/flows.ts'
import { fieldSchemas, takes } from '../operations/field-schemas.ts'

type Fields = Record<string, unknown>

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

const text = (length: number): string => randomBytes(length).toString('base64url').slice(0, length)

function hostName(length: number): string {
  const end = '.example.com'
  const labels = randomBytes(length)
    .toString('hex')
    .slice(end.length, length)
    .match(/.{1,50}/g) as string[]
  // Removes one character for each added dot, which preserves the length of the name.
  return [...labels.slice(0, -1).map((label) => `${label.slice(1)}.`), labels.at(-1), end].join('')
}

const ipv6 = (): string => (randomBytes(16).toString('hex').match(/.{4}/g) as string[]).join(':')

/** Returns conditions of every property, 256 KB in total. */
function largestConditions(): Fields[] {
  const time = () => `${randomInt(10, 13)}:${randomInt(10, 60)}-17:${randomInt(10, 60)}`
  return [
    { property: 'remote_ip_location_region', operator: 'is_in', values: [...regionCodes] },
    { property: 'remote_ip', operator: 'is_in_cidr', values: times(1_000, () => `${ipv6()}/128`) },
    { property: 'auth_provider_id', operator: 'is_in', values: times(1_000, () => randomUUID()) },
    { property: 'client_verified', operator: 'is', values: ['true'] },
    {
      property: 'current_utc_datetime',
      operator: 'is_in_day_of_week_time_ranges',
      values: times(120, () => `M/${times(100, time).join(',')}/Europe/Warsaw`),
    },
  ]
}

/** Returns filters of 256 KB in total. */
const largestFilters = (): Fields[] =>
  times(32, () => ({
    protocol: 'tcp',
    ports: times(500, (i) => `${i * 130 + randomInt(1, 60)} - ${i * 130 + randomInt(60, 130)}`),
  }))

const password = text(128)

/** Functions that return maximum values of fields whose schema does not define a maximum. */
const largest: Record<string, (schema: JsonSchema, sent: Fields) => unknown> = {
  conditions: largestConditions,
  filters: largestFilters,
  scopes: () => times(100, () => '*'),
  address: () => `${times(4, () => 'a'.repeat(49)).join('.')}.${'b'.repeat(49)}.com`,
  domain: ({ maxLength }) => hostName(maxLength as number),
  idp_domain: ({ maxLength }) => hostName(maxLength as number),
  tenant_id: ({ maxLength }) => hostName(maxLength as number),
  subdomain: ({ maxLength }) => 's'.repeat(maxLength as number),
  // Reserves six characters for the colon and the port.
  endpoint: ({ maxLength }) => `${hostName((maxLength as number) - 6)}:65535`,
  default_client_endpoint: ({ maxLength }) => `${hostName((maxLength as number) - 6)}:65535`,
  // Leaves a missing address missing, because some types of actors have no email address.
  email: ({ maxLength }, { email }) => email && `${text((maxLength as number) - 12)}@example.com`,
  impersonation_email: ({ maxLength }) => `${text((maxLength as number) - 12)}@example.com`,
  password: () => password,
  password_confirmation: () => password,
  allowed_ips: () => times(100, ipv6).join(','),
  dns: () => times(100, ipv6).join(','),
  default_client_allowed_ips: () => times(100, ipv6).join(','),
  default_client_dns: () => times(100, ipv6).join(','),
  logo: () => ({ url: 'u'.repeat(2_048), data: 'd'.repeat(30_000), type: 't'.repeat(255) }),
  openid_connect_providers: () => times(20, (i) => openIdProvider({ id: `o${i}`, client_secret: text(2_048) })),
  saml_identity_providers: () =>
    times(20, (i) => samlProvider({ id: `s${i}`, metadata: `<EntityDescriptor>${text(3_000)}</EntityDescriptor>` })),
}

const lists: Record<string, (sent: unknown) => unknown> = {
  'PUT memberships': (sent) => times(10_000, () => (sent as unknown[])[0]),
  'PUT pool_members': (sent) => times(10_000, () => (sent as unknown[])[0]),
  'PATCH memberships': (sent) => ({ ...(sent as object), remove: times(9_999, () => randomUUID()) }),
  'PATCH pool_members': (sent) => ({ ...(sent as object), remove: times(9_999, () => randomUUID()) }),
  'POST flow_logs': () => times(10_000, (i) => closeRecord({ inner_src_port: i })),
}

const plainPatterns: unknown[] = Object.values(textPattern)

/** Returns the value inside the envelope of a valid request, with all fields at their maximum size. */
export function largestValue(operation: Operation, sent: unknown): unknown {
  const whole = lists[`${operation.method} ${operation.body?.envelope ?? 'flow_logs'}`]
  if (whole && !operation.body?.fields) return whole(sent)
  const given = (sent ?? {}) as Fields
  const fields = Object.entries(fieldSchemas(operation)).flatMap(([name, schema]): [string, unknown][] => {
    const make = largest[name]
    if (make) return [[name, make(schema, given)]]
    // Keeps the sample's value if the field has a pattern that restricts the string.
    return takes(schema, 'string') && plainPatterns.includes(schema.pattern) && typeof schema.maxLength === 'number'
      ? [[name, text(schema.maxLength)]]
      : []
  })
  return { ...given, ...Object.fromEntries(fields) }
}
