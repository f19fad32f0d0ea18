import * as v from 'valibot'
import { type Author, commit } from '../commit/commit.ts'
import { ApiError, invalidAt } from '../core/errors.ts'
import { MessageLimit } from '../core/faults.ts'
import type { V0Lists } from '../domain/accounts/account.ts'
import type { RowFields } from '../table/entity.ts'
import type { Draft } from '../values/draft.ts'
import { checkOpenIdProviders, checkSamlProviders } from './check-providers.ts'
import {
  readConfiguration,
  showConfiguration,
  V0Configuration,
  type V0ConfigurationRow,
  v0Configurations,
} from './configuration.ts'
import type { V0ConfigurationInput } from './configuration-fields.ts'
import type { OwnValueName } from './device.ts'
import { endpointMessages, networkListMessages, serverListMessages } from './grammars.ts'
import { blank, type Messages, outOfBounds } from './messages.ts'
import { respell } from './shown-list.ts'

const maxBytes = 163_840

/** Size in bytes of a configuration's response as compact JSON, with lists as strings (`/v0` contract, 12.2). */
const countBytes = (fields: V0ConfigurationRow): number =>
  Buffer.byteLength(JSON.stringify(v.parse(V0Configuration, fields)))

export const update = (author: Author, draft: () => Draft<V0ConfigurationInput>, lists: V0Lists, address: string) =>
  commit(author, async (transaction) => {
    const storedConfiguration = await readConfiguration(author.accountId)
    const changes = checkConfiguration(draft(), storedConfiguration, lists, address)
    if (countBytes({ ...storedConfiguration, ...changes }) > maxBytes)
      throw invalidAt(['base'], `should be at most ${maxBytes} byte(s)`)
    const configuration = transaction.update(v0Configurations, storedConfiguration, { ...changes })
    return { data: showConfiguration(configuration, lists) }
  })

type RuledName = `default_client_${OwnValueName}` | 'vpn_session_duration'

/** Validation rules for individual fields (`/v0` contract, 12.1). */
const rules: { [N in RuledName]: (value: NonNullable<V0ConfigurationInput[N]>) => Messages } = {
  default_client_allowed_ips: (list) => (list === '' ? [] : networkListMessages(list, { repeats: false })),
  default_client_dns: (list) => (list === '' ? [] : serverListMessages(list)),
  default_client_endpoint: (text) => (text === '' ? [blank] : endpointMessages(text)),
  default_client_mtu: (value) => outOfBounds(value, 576, 1500),
  default_client_persistent_keepalive: (value) => outOfBounds(value, 0, 120),
  vpn_session_duration: (value) => outOfBounds(value, 0, 2_147_483_647),
}

const providerChecks = { openid_connect_providers: checkOpenIdProviders, saml_identity_providers: checkSamlProviders }

type Changes = Partial<RowFields<V0ConfigurationRow>>

/** Checks a field, unless its value is unchanged. */
function checkValue<N extends RuledName>(
  draft: Draft<V0ConfigurationInput>,
  storedConfiguration: V0ConfigurationRow,
  name: N,
) {
  const value: V0ConfigurationInput[N] = draft.fields[name]
  if (value !== undefined && value !== storedConfiguration[name]) draft.reject(name, ...rules[name](value))
}

/**
 * Checks a changed configuration. Messages about a provider are placed at the provider's index in the list (`/v0` contract, 12.5).
 * @throws ApiError `validation_failed`
 */
function checkConfiguration(
  draft: Draft<V0ConfigurationInput>,
  storedConfiguration: V0ConfigurationRow,
  lists: V0Lists,
  address: string,
): Changes {
  for (const name of ['default_client_allowed_ips', 'default_client_dns'] as const)
    if (draft.fields[name] !== undefined)
      draft.fields[name] = respell(draft.fields[name], lists, storedConfiguration[name])
  for (const name of Object.keys(rules) as RuledName[]) checkValue(draft, storedConfiguration, name)
  const providers: Record<string, unknown> = {}
  const limit = new MessageLimit()
  const errors: Record<string, unknown> = limit.take(draft.faults)
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
