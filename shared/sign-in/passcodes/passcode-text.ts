import { randomInt } from 'node:crypto'

/** Nothing that looks like something else (I2.5). */
const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const length = 6
const form = new RegExp(`^[${alphabet}]{${length}}$`, 'i')

export const newPasscode = (): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')

/** A passcode as somebody entered it, in any case and with blanks around it or between; null for what is none. */
export function readPasscode(entered: string): string | null {
  const text = entered.replace(/\s/g, '')
  return form.test(text) ? text.toUpperCase() : null
}
