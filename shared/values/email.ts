import { domainToASCII, domainToUnicode } from 'node:url'
import { foldAscii, isLonger } from './text.ts'

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Bound for conversion, which drops some characters; far above the 253 of a name. */
const maxUnits = 1_000
/** True for text with control or format characters, which may look like another address. */
export const hasUnseen = (address: string): boolean => /[\p{Cc}\p{Cf}]/u.test(address)

/** Characters at which conversion would end the name, or decode them. */
const foreignToHosts = /[!-,/:-@[-`{-~]/

/** Host name in lower case and punycode; null for an IP address or an impossible name. */
export function hostName(text: string): string | null {
  if (text.length > maxUnits || !text.isWellFormed() || foreignToHosts.test(text)) return null
  const host = domainToASCII(text).toLowerCase()
  const labels = host.split('.')
  if (labels.length < 2 || host.length > 253 || !labels.every((part) => label.test(part))) return null
  if (/^\d+$/.test(labels.at(-1) ?? '')) return null
  // Conversion leaves invalid punycode unchanged.
  return labels.some((part) => part.startsWith('xn--') && domainToUnicode(part) === part) ? null : host
}

export const emailForm = {
  format: 'email',
  maxLength: 160,
  pattern: '^[^\\s@\\u0000]+@[^\\s@\\u0000]+\\.[^\\s@\\u0000]+$',
}

/** Address with its host in lower case and punycode, and the local part as sent (A12.2). */
export function checkEmail(text: string): { email: string } | { message: string } {
  const [, local = '', domain = ''] = /^([^\s@]+)@([^\s@]+)$/.exec(text) ?? []
  const host = hostName(domain)
  // A lone surrogate cannot be stored.
  if (!host || hasUnseen(local) || !local.isWellFormed()) return { message: 'is an invalid email address' }
  const email = `${local}@${host}`
  return isLonger(email, 160) ? { message: 'should be at most 160 character(s)' } : { email }
}

/** Checks an email against a list of domains, which do not include subdomains. */
export const isInDomains = (email: string | null, domains: string[] | null): boolean =>
  domains === null || (email !== null && domains.includes(foldAscii(email.slice(email.lastIndexOf('@') + 1))))
