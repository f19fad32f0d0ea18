import * as v from 'valibot'
import { isObject } from '../../core/json/is-object.ts'
import { field, type JsonSchema } from '../../values/field.ts'
import { textPattern } from '../../values/text-pattern.ts'
import { booleanCast, CommaListCast, commaListSchema, IntegerCast, TrimmedCast } from '../values/casts.ts'
import { notNullCast } from '../values/not-null-cast.ts'
import { LogoCast } from './logo-cast.ts'
import { maxProviders, openIdProviderSchema, samlProviderSchema } from './provider-fields.ts'

const endpointSchema = { type: 'string', minLength: 1, maxLength: 255, pattern: textPattern.filled }
const flag = v.optional(booleanCast())
const integer = (minimum: number, maximum: number) =>
  v.optional(notNullCast(IntegerCast, { type: ['integer', 'string'], minimum, maximum, pattern: '^[+-]?[0-9]+$' }))
const list = v.optional(notNullCast(CommaListCast, commaListSchema, ''))

/** A list of providers as sent: they are checked one by one and against each other. */
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

/** What can be set on a configuration (`/v0` contract, 12.1). */
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
