import { ApiError } from '../../core/errors.ts'
import { MessageLimit } from '../../core/message-limit.ts'
import type { V0Lists } from '../../domain/accounts/account.ts'
import type { RowFields } from '../../table/entity.ts'
import type { Draft } from '../../values/draft.ts'
import { endpointMessages, networkListMessages, serverListMessages } from '../values/grammars.ts'
import { blank, type Messages, outOfBounds } from '../values/messages.ts'
import { respell } from '../values/shown-list.ts'
import { checkOpenIdProviders, checkSamlProviders } from './check-providers.ts'
import type { V0ConfigurationRow } from './configuration.ts'
import type { V0ConfigurationInput } from './configuration-fields.ts'

const ruledNames = [
  'default_client_allowed_ips',
  'default_client_dns',
  'default_client_endpoint',
  'default_client_mtu',
  'default_client_persistent_keepalive',
  'vpn_session_duration',
] as const
type RuledName = (typeof ruledNames)[number]
type Rules = { [N in RuledName]: (value: NonNullable<V0ConfigurationInput[N]>) => Messages }

/** The rules of each field's own value (`/v0` contract, 12.1). */
const rules: Rules = {
  default_client_allowed_ips: (list) => (list === '' ? [] : networkListMessages(list, { repeats: false })),
  default_client_dns: (list) => (list === '' ? [] : serverListMessages(list)),
  default_client_endpoint: (text) => (text === '' ? [blank] : endpointMessages(text)),
  default_client_mtu: (value) => outOfBounds(value, 576, 1500),
  default_client_persistent_keepalive: (value) => outOfBounds(value, 0, 120),
  vpn_session_duration: (value) => outOfBounds(value, 0, 2_147_483_647),
}

const providerChecks = {
  openid_connect_providers: checkOpenIdProviders,
  saml_identity_providers: checkSamlProviders,
}

type Changes = Partial<RowFields<V0ConfigurationRow>>

/** A value that is stored already can be sent back. */
function checkValue<N extends RuledName>(
  draft: Draft<V0ConfigurationInput>,
  stored: V0ConfigurationRow,
  name: N,
): void {
  const value: V0ConfigurationInput[N] = draft.fields[name]
  if (value !== undefined && value !== stored[name]) draft.reject(name, ...rules[name](value))
}

/**
 * The field checks of a changed configuration. The messages of a provider stand at its place in the list (12.5).
 * @throws ApiError `validation_failed`
 */
export function checkConfiguration(
  draft: Draft<V0ConfigurationInput>,
  stored: V0ConfigurationRow,
  lists: V0Lists,
  address: string,
): Changes {
  for (const name of ['default_client_allowed_ips', 'default_client_dns'] as const)
    if (draft.fields[name] !== undefined) draft.fields[name] = respell(draft.fields[name], lists, stored[name])
  for (const name of ruledNames) checkValue(draft, stored, name)
  const providers: Record<string, unknown> = {}
  const limit = new MessageLimit()
  const errors: Record<string, unknown> = limit.take(draft.errors)
  for (const [name, check] of Object.entries(providerChecks)) {
    const sent = draft.fields[name as keyof typeof providerChecks]
    if (sent === undefined || draft.has(name)) continue
    const checked = check(sent, limit, address)
    if ('errors' in checked) errors[name] = checked.errors
    else providers[name] = checked.items
  }
  if (Object.keys(errors).length > 0) throw new ApiError('validation_failed', undefined, { members: { errors } })
  return { ...draft.fields, ...providers } as Changes
}
