import type { FieldErrors } from '../../core/errors.ts'
import type { MessageLimit } from '../../core/message-limit.ts'
import type { Fields } from '../../values/draft.ts'
import { type Draft, draft } from '../../values/draft.ts'
import { tooManyKeys } from '../../values/too-many-keys.ts'
import { blank, isBlank, type Messages, tooLong } from '../values/messages.ts'
import { webAddressMessages } from '../values/web-address.ts'
import type { V0OpenIdProvider, V0SamlProvider } from './provider.ts'
import {
  V0OpenIdProviderFields,
  type V0OpenIdProviderInput,
  V0SamlProviderFields,
  type V0SamlProviderInput,
} from './provider-fields.ts'
import { isSamlMetadata } from './saml-metadata.ts'

/** The valid items, or the messages of each, in order (`/v0` contract, 12.5). */
type CheckedProviders<P> = { items: P[] } | { errors: FieldErrors[] }

const reserved = ['identity', 'saml', 'magic_link']

type WithText<K extends string> = Draft<{ [N in K]?: string | null }>

/** A text that an item must have. */
function checkRequired<K extends string>(
  item: WithText<NoInfer<K>>,
  key: K,
  max: number,
  more: (text: string) => Messages = () => [],
): string {
  const text = item.fields[key]
  if (item.has(key)) return ''
  if (text == null || isBlank(text)) item.reject(key, blank)
  else item.reject(key, ...tooLong(text, max), ...more(text))
  return text ?? ''
}

/** A text with a default. */
function checkOptional<K extends string, D>(
  item: WithText<NoInfer<K>>,
  key: K,
  fallback: D,
  more: (text: string) => Messages = () => [],
): string | D {
  const text = item.fields[key]
  if (text == null) return fallback
  item.reject(key, ...tooLong(text, 2048), ...more(text))
  return text
}

function checkName(item: Draft<{ id?: string | null; label?: string | null }>, earlier: Set<string>) {
  const { id } = item.fields
  if (id && reserved.includes(id)) item.reject('id', 'is reserved')
  return {
    id: checkRequired(item, 'id', 255, (text) => (earlier.has(text) ? ['has already been taken'] : [])),
    label: checkRequired(item, 'label', 255),
  }
}

function checkOpenIdProvider(item: Draft<V0OpenIdProviderInput>, earlier: Set<string>): V0OpenIdProvider {
  return {
    ...checkName(item, earlier),
    client_id: checkRequired(item, 'client_id', 2048),
    client_secret: checkRequired(item, 'client_secret', 2048),
    discovery_document_uri: checkRequired(item, 'discovery_document_uri', 2048),
    redirect_uri: checkOptional(item, 'redirect_uri', null, webAddressMessages),
    response_type: checkOptional(item, 'response_type', 'code'),
    scope: checkOptional(item, 'scope', 'openid email profile'),
    auto_create_users: item.fields.auto_create_users ?? false,
  }
}

const checkSamlProvider =
  (address: string) =>
  (item: Draft<V0SamlProviderInput>, earlier: Set<string>): V0SamlProvider => {
    const { sign_requests, sign_metadata, signed_assertion_in_resp, signed_envelopes_in_resp } = item.fields
    return {
      ...checkName(item, earlier),
      base_url: checkOptional(item, 'base_url', `${address}/auth/saml`, webAddressMessages),
      metadata: checkRequired(item, 'metadata', 65_536, (text) => (isSamlMetadata(text) ? [] : ['is invalid'])),
      sign_requests: sign_requests ?? true,
      sign_metadata: sign_metadata ?? true,
      signed_assertion_in_resp: signed_assertion_in_resp ?? true,
      signed_envelopes_in_resp: signed_envelopes_in_resp ?? true,
      auto_create_users: item.fields.auto_create_users ?? false,
    }
  }

/** Items behind the last message that is told are not looked at. */
function checkItems<I extends { id?: string | null }, P>(
  sent: object[],
  fields: Fields,
  check: (item: Draft<I>, earlier: Set<string>) => P,
  limit: MessageLimit,
): CheckedProviders<P> {
  const earlier = new Set<string>()
  const items: P[] = []
  const errors = sent.map((object) => {
    if (limit.isReached) return {}
    const crowded = tooManyKeys(object)
    if (crowded !== null) return limit.take({ base: [crowded] })
    const item = draft<I>(fields, object)
    items.push(check(item, earlier))
    const { id } = item.fields
    if (id) earlier.add(id)
    return limit.take(item.errors)
  })
  return errors.some((messages) => Object.keys(messages).length > 0) ? { errors } : { items }
}

export const checkOpenIdProviders = (sent: object[], limit: MessageLimit) =>
  checkItems(sent, V0OpenIdProviderFields, checkOpenIdProvider, limit)

/** `address` is that of the service, which a provider is reached below. */
export const checkSamlProviders = (sent: object[], limit: MessageLimit, address: string) =>
  checkItems(sent, V0SamlProviderFields, checkSamlProvider(address), limit)
