import { isUuid } from '../../../core/ids.ts'
import { mustBeUuid } from '../../../values/fields.ts'
import type { ConditionContext, ConditionProperty } from './condition-property.ts'

const providerOf = ({ subject }: ConditionContext) => subject.auth_provider_id

/** Condition on the auth provider of the sign-in. Service accounts have no provider, so `is_in` is never true for them. */
export const authProviderId: ConditionProperty = {
  name: 'auth_provider_id',
  operators: ['is_in', 'is_not_in'],
  values: 'providers',
  message: mustBeUuid,
  refuse: (value) => (isUuid(value) ? undefined : mustBeUuid),
  form: { format: 'uuid' },
  fact: providerOf,
  isDecidable: (person) => !person,
  parse: (values, operator) => {
    const providerIds = new Set(values.map((value) => value.toLowerCase()))
    return (context) => providerIds.has(providerOf(context) ?? '') === (operator === 'is_in')
  },
}
