import { parseIp } from '../../values/ip.ts'
import type { Messages } from './messages.ts'

/** The characters of a URI, and a percent sign that encodes nothing (RFC 3986, 2). */
const characters = /^[\w.~!$&'()*+,;=:@/?#[\]%-]*$/
const loosePercent = /%(?![0-9a-f]{2})/i
/** Its parts (appendix B): scheme, authority, path, and what follows. */
const parts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/
const schemeForm = /^[a-z][a-z0-9+.-]*$/i
const authorityForm = /^(?:[^@[\]]*@)?(\[[^[\]]*\]|[^:@[\]]*)(?::\d*)?$/
const futureLiteral = /^v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+$/i

/** A host in brackets is an IPv6 address, or one of a version to come. */
const isHost = (host: string): boolean =>
  !host.startsWith('[') || parseIp(host.slice(1, -1))?.family === 6 || futureLiteral.test(host.slice(1, -1))

/** A URI reference of RFC 3986, or null. */
function parse(text: string): { scheme?: string; host: string } | null {
  if (!characters.test(text) || loosePercent.test(text)) return null
  const [, scheme, authority, path = '', rest = ''] = parts.exec(text) ?? []
  const host = authority === undefined ? '' : authorityForm.exec(authority)?.[1]
  if (host === undefined || !isHost(host)) return null
  if (scheme !== undefined && !schemeForm.test(scheme)) return null
  // A first segment with a colon would be a scheme.
  if (scheme === undefined && authority === undefined && path.split('/', 1)[0]?.includes(':')) return null
  return /[[\]]/.test(path + rest) || rest.split('#').length > 2 ? null : { scheme: scheme?.toLowerCase(), host }
}

/** A web address (`/v0` contract, 8.7): only its first failure. */
export function webAddressMessages(text: string): Messages {
  const uri = parse(text)
  if (!uri) return ['is invalid']
  if (uri.host === '') return ['does not contain a scheme or a host']
  if (uri.scheme === undefined) return ['does not contain a scheme']
  return ['http', 'https'].includes(uri.scheme) ? [] : ['only http, https schemes are supported']
}
