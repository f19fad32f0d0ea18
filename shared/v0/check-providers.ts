import { parseXml, XmlNode } from '@rgrove/parse-xml'
import { type FieldErrors, faultsAt, type MessageLimit } from '../core/faults.ts'
import { recordOf } from '../core/json/record-of.ts'
import { type Draft, draft, type Fields } from '../values/draft.ts'
import { tooManyKeys } from '../values/field.ts'
import { parseIp } from '../values/ip.ts'
import type { V0OpenIdProvider, V0SamlProvider } from './configuration.ts'
import { blank, isBlank, type Messages, tooLong } from './messages.ts'
import {
  V0OpenIdProviderFields,
  type V0OpenIdProviderInput,
  V0SamlProviderFields,
  type V0SamlProviderInput,
} from './provider-fields.ts'

/** Valid providers, or the messages about each provider in list order (`/v0` contract, 12.5). */
type CheckedProviders<P> = { items: P[] } | { errors: FieldErrors[] }

const reservedIds = ['identity', 'saml', 'magic_link']

type WithText<K extends string> = Draft<{ [N in K]?: string | null }>

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
  if (id && reservedIds.includes(id)) item.reject('id', 'is reserved')
  return {
    id: checkRequired(item, 'id', 255, (text) => (earlier.has(text) ? ['has already been taken'] : [])),
    label: checkRequired(item, 'label', 255),
  }
}

/** Checks the items of a list until the message limit is reached. */
function checkItems<I extends { id?: string | null }, P>(
  sent: object[],
  fields: Fields,
  limit: MessageLimit,
  check: (item: Draft<I>, earlier: Set<string>) => P,
): CheckedProviders<P> {
  const earlier = new Set<string>()
  const items: P[] = []
  const errors = sent.map((object) => {
    if (limit.isReached) return {}
    const limitMessage = tooManyKeys(object)
    if (limitMessage !== null) return limit.take(faultsAt(['base'], [limitMessage]))
    const item = draft<I>(fields, object)
    items.push(check(item, earlier))
    const { id } = item.fields
    if (id) earlier.add(id)
    return limit.take(item.faults)
  })
  return errors.some((messages) => Object.keys(messages).length > 0) ? { errors } : { items }
}

export const checkOpenIdProviders = (sent: object[], limit: MessageLimit) =>
  checkItems(
    sent,
    V0OpenIdProviderFields,
    limit,
    (item: Draft<V0OpenIdProviderInput>, earlier): V0OpenIdProvider => ({
      ...checkName(item, earlier),
      client_id: checkRequired(item, 'client_id', 2048),
      client_secret: checkRequired(item, 'client_secret', 2048),
      discovery_document_uri: checkRequired(item, 'discovery_document_uri', 2048),
      redirect_uri: checkOptional(item, 'redirect_uri', null, webAddressMessages),
      response_type: checkOptional(item, 'response_type', 'code'),
      scope: checkOptional(item, 'scope', 'openid email profile'),
      auto_create_users: item.fields.auto_create_users ?? false,
    }),
  )

const samlFlags = ['sign_requests', 'sign_metadata', 'signed_assertion_in_resp', 'signed_envelopes_in_resp'] as const

/** Checks SAML providers. The default of `base_url` is a path below the service's `address`. */
export const checkSamlProviders = (sent: object[], limit: MessageLimit, address: string) =>
  checkItems(
    sent,
    V0SamlProviderFields,
    limit,
    (item: Draft<V0SamlProviderInput>, earlier): V0SamlProvider => ({
      ...checkName(item, earlier),
      base_url: checkOptional(item, 'base_url', `${address}/auth/saml`, webAddressMessages),
      metadata: checkRequired(item, 'metadata', 65_536, (text) => (isSamlMetadata(text) ? [] : ['is invalid'])),
      ...recordOf(samlFlags, (flag) => item.fields[flag] ?? true),
      auto_create_users: item.fields.auto_create_users ?? false,
    }),
  )

/** Accepts well-formed XML with the root element `EntityDescriptor`, without a document type (`/v0` contract, 12.4). */
export function isSamlMetadata(text: string): boolean {
  try {
    // Removes leading white space, because XML allows none before its declaration.
    const { root, children } = parseXml(text.replace(/^[\t\n\r ]+/, ''), { preserveDocumentType: true })
    if (children.some(({ type }) => type === XmlNode.TYPE_DOCUMENT_TYPE)) return false
    return /^(?:[^:]+:)?EntityDescriptor$/.test(root?.name ?? '')
  } catch {
    return false
  }
}

/** Characters of a URI (RFC 3986, 2). `loosePercent` matches a percent sign without two hexadecimal digits. */
const characters = /^[\w.~!$&'()*+,;=:@/?#[\]%-]*$/
const loosePercent = /%(?![0-9a-f]{2})/i
/** Parts of a URI (RFC 3986, appendix B): scheme, authority, path, and query with fragment. */
const parts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/
const schemeForm = /^[a-z][a-z0-9+.-]*$/i
const authorityForm = /^(?:[^@[\]]*@)?(\[[^[\]]*\]|[^:@[\]]*)(?::\d*)?$/
const futureLiteral = /^v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+$/i

/** True for a valid host. Brackets must contain an IPv6 address or an `IPvFuture` literal. */
const isHost = (host: string): boolean =>
  !host.startsWith('[') || parseIp(host.slice(1, -1))?.family === 6 || futureLiteral.test(host.slice(1, -1))

/** Parses a URI reference (RFC 3986). Returns null if it is invalid. */
function parse(text: string): { scheme?: string; host: string } | null {
  if (!characters.test(text) || loosePercent.test(text)) return null
  const [, scheme, authority, path = '', rest = ''] = parts.exec(text) ?? []
  const host = authority === undefined ? '' : authorityForm.exec(authority)?.[1]
  if (host === undefined || !isHost(host)) return null
  if (scheme !== undefined && !schemeForm.test(scheme)) return null
  // Rejects a relative path with a colon in its first segment, which would be read as a scheme.
  if (scheme === undefined && authority === undefined && path.split('/', 1)[0]?.includes(':')) return null
  return /[[\]]/.test(path + rest) || rest.split('#').length > 2 ? null : { scheme: scheme?.toLowerCase(), host }
}

/** Checks a web address (`/v0` contract, 8.7). Reports only the first failure. */
export function webAddressMessages(text: string): Messages {
  const uri = parse(text)
  if (!uri) return ['is invalid']
  if (uri.host === '') return ['does not contain a scheme or a host']
  if (uri.scheme === undefined) return ['does not contain a scheme']
  return ['http', 'https'].includes(uri.scheme) ? [] : ['only http, https schemes are supported']
}
