import * as v from 'valibot'
import { isObject } from '../core/json/is-object.ts'
import { recordOf } from '../core/json/record-of.ts'
import { field, type JsonSchema, maxKeys, tooManyKeys } from '../values/field.ts'
import { isLonger, textPattern } from '../values/text.ts'
import { booleanCast, CommaListCast, commaListSchema, IntegerCast, isText, TrimmedCast } from './casts.ts'
import { type Logo, logoTexts } from './configuration.ts'
import { maxProviders, openIdProviderSchema, samlProviderSchema } from './provider-fields.ts'

const maxLengths = { url: 2048, data: 65_536, type: 255 }
const keys = ['url', 'data', 'type'] as const

/** Checks one field of a logo. Returns null if it is missing or empty, and undefined if it is invalid. */
function checkPart(value: unknown, max: number): string | null | undefined {
  if (value === undefined || value === null || value === '') return null
  return isText(value) && !isLonger(value, max) ? value : undefined
}

/** Cast to a logo (`/v0` contract, 12.3). A logo without content becomes null. */
const LogoCast = field<Logo | null>(
  (input) => {
    if (input === null) return { value: null }
    if (!isObject(input)) return { message: 'is invalid' }
    const limitMessage = tooManyKeys(input)
    if (limitMessage !== null) return { message: limitMessage }
    const { url, data, type } = recordOf(keys, (key) => checkPart(input[key], maxLengths[key]))
    if (url === undefined || data === undefined || type === undefined) return { message: 'is invalid' }
    return { value: url === null && data === null && type === null ? null : { url, data, type } }
  },
  {
    type: ['object', 'null'],
    maxProperties: maxKeys,
    properties: Object.fromEntries(
      keys.map((key) => [key, { type: ['string', 'null'], maxLength: maxLengths[key], description: logoTexts[key] }]),
    ),
  },
)

/** Wraps a cast so that it rejects null. An empty value becomes `empty`, or is invalid if no `empty` is given. */
const notNullCast = <T>(cast: v.GenericSchema<unknown, T | null>, schema: JsonSchema, empty?: T) =>
  field<T>((input) => {
    const parsed = v.safeParse(cast, input)
    if (!parsed.success) return { message: parsed.issues[0].message }
    const value = input === null ? undefined : (parsed.output ?? empty)
    return value === undefined ? { message: 'is invalid' } : { value }
  }, schema)

const endpointSchema = { type: 'string', minLength: 1, maxLength: 255, pattern: textPattern.filled }
const flag = v.optional(booleanCast())
const integer = (minimum: number, maximum: number) =>
  v.optional(notNullCast(IntegerCast, { type: ['integer', 'string'], minimum, maximum, pattern: '^[+-]?[0-9]+$' }))
const list = v.optional(notNullCast(CommaListCast, commaListSchema, ''))

/** Cast to a list of providers. The items are checked later, individually and against each other. */
const providers = (item: JsonSchema) =>
  v.optional(
    field<object[]>(
      (input) => {
        if (!Array.isArray(input)) return { message: 'is invalid' }
        if (input.length > maxProviders) return { message: `should have at most ${maxProviders} item(s)` }
        return input.every(isObject) ? { value: input } : { message: 'is invalid' }
      },
      { type: 'array', maxItems: maxProviders, items: item },
    ),
  )

/** Fields of a configuration that a request can set (`/v0` contract, 12.1). */
export const V0ConfigurationFields = v.object({
  allow_unprivileged_device_configuration: flag,
  allow_unprivileged_device_management: flag,
  local_auth_enabled: flag,
  disable_vpn_on_oidc_error: flag,
  default_client_allowed_ips: list,
  default_client_dns: list,
  default_client_endpoint: v.optional(notNullCast(TrimmedCast, endpointSchema, '')),
  default_client_mtu: integer(576, 1500),
  default_client_persistent_keepalive: integer(0, 120),
  vpn_session_duration: integer(0, 2_147_483_647),
  logo: v.optional(LogoCast),
  openid_connect_providers: providers(openIdProviderSchema),
  saml_identity_providers: providers(samlProviderSchema),
})
export type V0ConfigurationInput = v.InferOutput<typeof V0ConfigurationFields>
