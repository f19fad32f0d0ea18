import { domainToASCII } from 'node:url'

/** The address with its host in lower case and punycode, the local part kept (A12.2). */
export function checkEmail(text: string): { email: string } | { message: string } {
  const match = /^([^\s@]+)@([^\s@]+\.[^\s@.]+)$/.exec(text)
  const host = match && domainToASCII(match[2] as string)
  if (!match || !host || host.includes('..') || host.startsWith('.')) return { message: 'is an invalid email address' }
  const email = `${match[1]}@${host.toLowerCase()}`
  return [...email].length > 160 ? { message: 'should be at most 160 character(s)' } : { email }
}
