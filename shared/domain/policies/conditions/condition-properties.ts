import { isUuid } from '../../../core/ids.ts'
import { mustBeOneOf, mustBeUuid } from '../../../values/fields.ts'
import { contains, parseIp, parseRange, unmapped, unmappedRange } from '../../../values/ip.ts'
import { mustBeRegion, regionCodes } from '../../../values/regions.ts'
import type { ConditionContext, ConditionProperty } from './condition-property.ts'
import { currentUtcDatetime } from './current-utc-datetime.ts'

const regionOf = ({ subject }: ConditionContext) => subject.ip_region

/** An unknown region passes no condition. */
const remoteIpLocationRegion: ConditionProperty = {
  name: 'remote_ip_location_region',
  operators: ['is_in', 'is_not_in'],
  values: 'regions',
  message: mustBeRegion,
  refuse: (value) => (regionCodes.has(value) ? undefined : mustBeRegion),
  form: { enum: [...regionCodes] },
  fact: regionOf,
  isDecidable: () => false,
  parse: (values, operator) => (context) => {
    const region = regionOf(context)
    return region !== null && values.includes(region) === (operator === 'is_in')
  },
}

const mustBeRange = 'must be an IP address or a CIDR range, for example 192.0.2.0/24'

const ipOf = ({ subject }: ConditionContext) => subject.ip

const remoteIp: ConditionProperty = {
  name: 'remote_ip',
  operators: ['is_in_cidr', 'is_not_in_cidr'],
  values: '`remote_ip`',
  message: mustBeRange,
  refuse: (value) => (parseRange(value) ? undefined : mustBeRange),
  form: { pattern: '^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$' },
  fact: ipOf,
  isDecidable: () => false,
  parse: (values, operator) => {
    const ranges = values.map(parseRange).flatMap((range) => (range ? [unmappedRange(range)] : []))
    return (context) => {
      const given = parseIp(ipOf(context) ?? '')
      if (!given) return false
      const ip = unmapped(given)
      return ranges.some((range) => contains(range, ip)) === (operator === 'is_in_cidr')
    }
  },
}

const providerOf = ({ subject }: ConditionContext) => subject.auth_provider_id

/** A service account has no provider, which is in no list. */
const authProviderId: ConditionProperty = {
  name: 'auth_provider_id',
  operators: ['is_in', 'is_not_in'],
  values: 'providers',
  message: mustBeUuid,
  refuse: (value) => (isUuid(value) ? undefined : mustBeUuid),
  form: { format: 'uuid' },
  fact: providerOf,
  isDecidable: (person) => !person,
  parse: (values, operator) => {
    const listed = new Set(values.map((value) => value.toLowerCase()))
    return (context) => listed.has(providerOf(context) ?? '') === (operator === 'is_in')
  },
}

const truths = ['true', 'false', '1', '0']

const isVerified = ({ client }: ConditionContext) => (client?.verified_at ?? null) !== null

const clientVerified: ConditionProperty = {
  name: 'client_verified',
  operators: ['is'],
  values: '`client_verified`',
  message: mustBeOneOf(truths),
  refuse: (value) => (truths.includes(value) ? undefined : mustBeOneOf(truths)),
  form: { enum: truths },
  single: true,
  fact: isVerified,
  isDecidable: () => false,
  parse: ([value = '']) => {
    const isRequired = ['true', '1'].includes(value)
    return (context) => !isRequired || isVerified(context)
  },
}

export const conditionProperties: readonly ConditionProperty[] = [
  remoteIpLocationRegion,
  remoteIp,
  authProviderId,
  currentUtcDatetime,
  clientVerified,
]
