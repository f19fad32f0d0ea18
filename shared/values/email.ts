import { domainToASCII, domainToUnicode } from 'node:url'

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** A host name in lower case and punycode; null for an address, or what no name server could know. */
function hostName(text: string): string | null {
  const host = domainToASCII(text).toLowerCase()
  const labels = host.split('.')
  const last = labels.at(-1) as string
  if (labels.length < 2 || host.length > 253 || !labels.every((part) => label.test(part)) || /^\d+$/.test(last))
    return null
  // Punycode that stands for nothing stays as it is.
  return labels.some((part) => part.startsWith('xn--') && domainToUnicode(part) === part) ? null : host
}

/** The address with its host in lower case and punycode, the local part kept (A12.2). */
export function checkEmail(text: string): { email: string } | { message: string } {
  const match = /^([^\s@]+)@([^\s@]+)$/.exec(text)
  const host = match && hostName(match[2] as string)
  if (!match || !host) return { message: 'is an invalid email address' }
  const email = `${match[1]}@${host}`
  return [...email].length > 160 ? { message: 'should be at most 160 character(s)' } : { email }
}
