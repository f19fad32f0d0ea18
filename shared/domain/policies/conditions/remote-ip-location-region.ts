import { mustBeRegion, regionCodes } from '../../../values/regions.ts'
import type { ConditionContext, ConditionProperty } from './condition-property.ts'

const regionOf = ({ subject }: ConditionContext) => subject.ip_region

/** Condition on the region of the caller's address. An unknown region violates the condition, whichever operator is used. */
export const remoteIpLocationRegion: ConditionProperty = {
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
