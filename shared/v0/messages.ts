import { isLonger } from '../values/text.ts'

export type Messages = string[]

export const tooLong = (text: string, max: number): Messages =>
  isLonger(text, max) ? [`should be at most ${max} character(s)`] : []

export const outOfBounds = (value: number, min: number, max: number): Messages => {
  if (value < min) return [`must be greater than or equal to ${min}`]
  return value > max ? [`must be less than or equal to ${max}`] : []
}

export const blank = "can't be blank"
export const isBlank = (text: string | null | undefined): boolean => text == null || trimmed(text) === ''

const isWhiteSpace = (character: string | undefined): boolean => /^\p{White_Space}$/u.test(character ?? '')

/** Trims Unicode white space (`/v0` contract, 19.2). JavaScript's `trim` would also remove U+FEFF, but keep U+0085. */
export function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isWhiteSpace(text[start])) start++
  while (end > start && isWhiteSpace(text[end - 1])) end--
  return text.slice(start, end)
}
