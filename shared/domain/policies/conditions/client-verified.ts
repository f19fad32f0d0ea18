import { mustBeOneOf } from '../../../values/fields.ts'
import type { ConditionContext, ConditionProperty } from './condition-property.ts'

const truths = ['true', 'false', '1', '0']

const isVerified = ({ client }: ConditionContext) => (client?.verified_at ?? null) !== null

export const clientVerified: ConditionProperty = {
  name: 'client_verified',
  operators: ['is'],
  values: '`client_verified`',
  message: mustBeOneOf(truths),
  refuse: (value) => (truths.includes(value) ? undefined : mustBeOneOf(truths)),
  form: { enum: truths },
  single: true,
  fact: isVerified,
  isDecidable: () => false,
  parse:
    ([value = '']) =>
    (context) =>
      !['true', '1'].includes(value) || isVerified(context),
}
