import { contains, parseIp, parseRange, unmapIp, unmapRange } from '../../../values/ip.ts'
import type { ConditionContext, ConditionProperty } from './condition-property.ts'

const mustBeRange = 'must be an IP address or a CIDR range, for example 192.0.2.0/24'

const ipOf = ({ subject }: ConditionContext) => subject.ip

export const remoteIp: ConditionProperty = {
  name: 'remote_ip',
  operators: ['is_in_cidr', 'is_not_in_cidr'],
  values: '`remote_ip`',
  message: mustBeRange,
  refuse: (value) => (parseRange(value) ? undefined : mustBeRange),
  form: { pattern: '^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$' },
  fact: ipOf,
  isDecidable: () => false,
  parse: (values, operator) => {
    const ranges = values.map(parseRange).flatMap((range) => (range ? [unmapRange(range)] : []))
    return (context) => {
      const callerIp = parseIp(ipOf(context) ?? '')
      if (!callerIp) return false
      const ip = unmapIp(callerIp)
      return ranges.some((range) => contains(range, ip)) === (operator === 'is_in_cidr')
    }
  },
}
