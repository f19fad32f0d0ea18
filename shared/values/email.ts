import { domainToASCII, domainToUnicode } from 'node:url'
import { foldAscii, isLonger } from './text.ts'

const labelPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Maximum length of a string to convert. It is far above the 253 characters of a name, because the conversion drops some characters. */
const maxUnits = 1_000
/** True for text with control or format characters, which can make an address look like another one. */
export const hasInvisibleCharacters = (address: string): boolean => /[\p{Cc}\p{Cf}]/u.test(address)

/** Characters that the conversion to punycode would decode, or treat as the end of the name. */
const nonHostCharacters = /[!-,/:-@[-`{-~]/

/** Returns the host name in lower case and punycode; null for an IP address or an invalid name. */
export function hostName(text: string): string | null {
  if (text.length > maxUnits || !text.isWellFormed() || nonHostCharacters.test(text)) return null
  const host = domainToASCII(text).toLowerCase()
  const labels = host.split('.')
  if (labels.length < 2 || host.length > 253 || !labels.every((part) => labelPattern.test(part))) return null
  if (/^\d+$/.test(labels.at(-1) ?? '')) return null
  // Rejects invalid punycode, which the conversion leaves unchanged.
  return labels.some((part) => part.startsWith('xn--') && domainToUnicode(part) === part) ? null : host
}

export const emailForm = {
  format: 'email',
  maxLength: 160,
  pattern: '^[^\\s@\\u0000]+@[^\\s@\\u0000]+\\.[^\\s@\\u0000]+$',
}

/** Returns the address with its host in lower case and punycode. The local part stays as submitted (A12.2). */
export function checkEmail(text: string): { email: string } | { message: string } {
  const [, local = '', domain = ''] = /^([^\s@]+)@([^\s@]+)$/.exec(text) ?? []
  const host = hostName(domain)
  // Rejects lone surrogates, which DynamoDB cannot store.
  if (!host || hasInvisibleCharacters(local) || !local.isWellFormed()) return { message: 'is an invalid email address' }
  const email = `${local}@${host}`
  return isLonger(email, 160) ? { message: 'should be at most 160 character(s)' } : { email }
}

/** True if the domain of an email is in the list. Subdomains do not match. A null list allows any domain. */
export const isInDomains = (email: string | null, domains: string[] | null): boolean =>
  domains === null || (email !== null && domains.includes(foldAscii(email.slice(email.lastIndexOf('@') + 1))))
