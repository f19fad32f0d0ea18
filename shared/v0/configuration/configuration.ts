import * as v from 'valibot'
import { isObject } from '../../core/is-object.ts'
import { entity, type Row, redacted } from '../../table/entity.ts'
import { field, type JsonSchema } from '../../values/field.ts'
import { textPattern } from '../../values/text-pattern.ts'
import { booleanCast, CommaListCast, commaListSchema, IntegerCast, TrimmedCast } from '../values/casts.ts'
import { notNullCast } from '../values/not-null-cast.ts'
import { type Logo, LogoCast, V0Logo } from './logo.ts'
import { maxProviders, openIdProviderSchema, samlProviderSchema, V0OpenIdProvider, V0SamlProvider } from './provider.ts'

/** The one configuration of an account's legacy API (`/v0` contract, 12.1). */
export type V0ConfigurationRow = Row & {
  allow_unprivileged_device_configuration: boolean
  allow_unprivileged_device_management: boolean
  local_auth_enabled: boolean
  disable_vpn_on_oidc_error: boolean
  default_client_allowed_ips: string
  default_client_dns: string
  default_client_endpoint: string
  default_client_mtu: number
  default_client_persistent_keepalive: number
  vpn_session_duration: number
  logo: Logo | null
  openid_connect_providers: V0OpenIdProvider[]
  saml_identity_providers: V0SamlProvider[]
}

export const v0Configurations = entity<V0ConfigurationRow>({
  name: 'v0_configurations',
  defaults: { logo: null, openid_connect_providers: [], saml_identity_providers: [] },
  recorded: (row) => ({
    ...row,
    openid_connect_providers: row.openid_connect_providers.map((item) => ({ ...item, client_secret: redacted })),
  }),
})

/** The configuration of a new account. */
export const initialConfiguration = (baseUrl: string): Omit<V0ConfigurationRow, keyof Row> => ({
  allow_unprivileged_device_configuration: true,
  allow_unprivileged_device_management: true,
  local_auth_enabled: true,
  disable_vpn_on_oidc_error: false,
  default_client_allowed_ips: '0.0.0.0/0,::/0',
  default_client_dns: '1.1.1.1,1.0.0.1',
  default_client_endpoint: `${new URL(baseUrl).hostname}:51820`,
  default_client_mtu: 1280,
  default_client_persistent_keepalive: 25,
  vpn_session_duration: 0,
  logo: null,
  openid_connect_providers: [],
  saml_identity_providers: [],
})

export const V0Configuration = v.object({
  id: v.string(),
  allow_unprivileged_device_configuration: v.boolean(),
  allow_unprivileged_device_management: v.boolean(),
  default_client_allowed_ips: v.string(),
  default_client_dns: v.string(),
  default_client_endpoint: v.string(),
  default_client_mtu: v.number(),
  default_client_persistent_keepalive: v.number(),
  disable_vpn_on_oidc_error: v.boolean(),
  local_auth_enabled: v.boolean(),
  logo: v.nullable(V0Logo),
  vpn_session_duration: v.number(),
  openid_connect_providers: v.array(V0OpenIdProvider),
  saml_identity_providers: v.array(V0SamlProvider),
  inserted_at: v.string(),
  updated_at: v.string(),
})

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
