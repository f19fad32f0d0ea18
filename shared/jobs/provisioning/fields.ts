import * as v from 'valibot'
import { faultsAt } from '../../core/faults.ts'
import { isObject } from '../../core/json/is-object.ts'
import {
  type FeatureName,
  featureNames,
  type LimitName,
  limitNames,
  reservedSlugs,
  v0Lists,
} from '../../domain/accounts/account.ts'
import { Scopes } from '../../domain/api-tokens/api-token.ts'
import { maxEntries } from '../../domain/member-sets/requested-members.ts'
import { Filters } from '../../domain/resources/resource.ts'
import { field, maxKeys, tooManyKeys } from '../../values/field.ts'
import { Bool, EmailAddress, mustBeBoolean, NullableText, OneOf, Text, Timestamp, Uuid } from '../../values/fields.ts'
import { isLonger } from '../../values/text.ts'

const AccountName = field<string>(
  (input) => {
    const name = typeof input === 'string' ? input.trim() : input
    if (name === null || name === '') return { message: "can't be blank" }
    if (typeof name !== 'string' || name.includes('\0')) return { message: 'is invalid' }
    if (!isLonger(name, 2)) return { message: 'should be at least 3 character(s)' }
    return isLonger(name, 64) ? { message: 'should be at most 64 character(s)' } : { value: name }
  },
  { type: 'string', minLength: 3, maxLength: 64 },
)

const Slug = field<string | null>(
  (input) => {
    if (input === null || input === '') return { value: null }
    const slug = typeof input === 'string' ? input.trim().toLowerCase() : ''
    if (!/^[a-z0-9-]{3,100}$/.test(slug)) return { message: 'must be 3 to 100 of the characters a-z, 0-9 and -' }
    return reservedSlugs.includes(slug) ? { message: 'is reserved' } : { value: slug }
  },
  { type: ['string', 'null'], pattern: '^[a-z0-9-]{3,100}$' },
)

/**
 * Schema of an object that may have any of the given fields. The rules check each value in order and return a message, or null for a valid
 * value.
 */
const someOf = <N extends string, T>(names: readonly N[], ...rules: ((value: unknown, name: N) => string | null)[]) =>
  field<Partial<Record<N, T>>>(
    (input) => {
      if (!isObject(input)) return { message: 'must be an object' }
      const limitMessage = tooManyKeys(input)
      if (limitMessage !== null) return { message: limitMessage }
      const sent = names.filter((name) => Object.hasOwn(input, name))
      for (const rule of rules) {
        const faults = sent.flatMap((name) =>
          faultsAt(
            [name],
            [rule(input[name], name)].filter((text) => text !== null),
          ),
        )
        if (faults.length > 0) return { faults }
      }
      return { value: Object.fromEntries(sent.map((name) => [name, input[name]])) as Partial<Record<N, T>> }
    },
    { type: 'object', maxProperties: maxKeys },
  )

/** Minimum of a limit: 1 for rates and capacities, 0 for counts (A32.3). */
const minimumOf = (name: LimitName): number => (/rate|capacity/.test(name) ? 1 : 0)

const Limits = someOf<LimitName, number | null>(
  limitNames,
  (limit) => (limit === null || Number.isSafeInteger(limit) ? null : 'must be an integer'),
  (limit, name) =>
    limit === null || Number(limit) >= minimumOf(name) ? null : `must be greater than or equal to ${minimumOf(name)}`,
)

const Features = someOf<FeatureName, boolean>(featureNames, (value) =>
  typeof value === 'boolean' ? null : mustBeBoolean,
)

const DeviceIds = field<string[]>(
  (input) => {
    if (!Array.isArray(input)) return { message: 'must be a list' }
    if (input.length > maxEntries) return { message: `should have at most ${maxEntries} item(s)` }
    const ids = input.map((id) => v.safeParse(Uuid, id))
    return ids.every((id) => id.success)
      ? { value: [...new Set(ids.map((id) => id.output))] }
      : { message: 'must be a list of client ids' }
  },
  { type: 'array', maxItems: maxEntries, items: { type: 'string', format: 'uuid' } },
)

const settings = {
  legal_name: v.optional(NullableText(255)),
  limits: v.optional(Limits),
  features: v.optional(Features),
  v0_lists: v.optional(OneOf(v0Lists)),
}

/** Fields of `account` in a `create_account` event (A32). */
export const AccountFields = v.object({ name: AccountName, slug: v.optional(Slug), ...settings })

export const AccountUpdateFields = v.object({
  name: v.optional(AccountName),
  is_disabled: v.optional(Bool),
  disabled_reason: v.optional(NullableText(255)),
  ...settings,
})

export const AdminFields = v.object({ name: Text(255), email: EmailAddress })

export const InitialTokenFields = v.object({
  name: v.optional(NullableText(255)),
  expires_at: v.optional(Timestamp),
  scopes: v.optional(Scopes),
})

export const PoolFields = v.object({
  name: Text(255),
  address_description: v.optional(NullableText(255)),
  filters: v.optional(Filters),
  device_ids: v.optional(DeviceIds),
})
