import { domainToASCII, domainToUnicode } from 'node:url'
import { isLonger } from './is-longer.ts'

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Far above the 253 characters of a name; conversion drops some characters, and takes long for many. */
const maxUnits = 1_000
/** Control and format characters, the bidirectional ones among them: an address that holds one is not what it looks like. */
export const hasUnseen = (address: string): boolean => /[\p{Cc}\p{Cf}]/u.test(address)

/** Characters of an address around its host: conversion would end the name there, or decode them. */
const foreignToHosts = /[!-,/:-@[-`{-~]/

/** A host name in lower case and punycode; null for an address, or what no name server could know. */
export function hostName(text: string): string | null {
  if (text.length > maxUnits || !text.isWellFormed() || foreignToHosts.test(text)) return null
  const host = domainToASCII(text).toLowerCase()
  const labels = host.split('.')
  if (
    labels.length < 2 ||
    host.length > 253 ||
    !labels.every((part) => label.test(part)) ||
    /^\d+$/.test(labels.at(-1) ?? '')
  )
    return null
  // Punycode that stands for nothing stays as it is.
  return labels.some((part) => part.startsWith('xn--') && domainToUnicode(part) === part) ? null : host
}

/** The form as JSON Schema says it. */
export const emailForm = {
  format: 'email',
  maxLength: 160,
  pattern: '^[^\\s@\\u0000]+@[^\\s@\\u0000]+\\.[^\\s@\\u0000]+$',
}

/** The address with its host in lower case and punycode, the local part kept (A12.2). */
export function checkEmail(text: string): { email: string } | { message: string } {
  const [, local = '', domain = ''] = /^([^\s@]+)@([^\s@]+)$/.exec(text) ?? []
  const host = hostName(domain)
  // Half a surrogate pair cannot be stored.
  if (!host || hasUnseen(local) || !local.isWellFormed()) return { message: 'is an invalid email address' }
  const email = `${local}@${host}`
  return isLonger(email, 160) ? { message: 'should be at most 160 character(s)' } : { email }
}
