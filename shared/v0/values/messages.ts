import { trimmed } from './white-space.ts'

/** Unicode characters, not code units (`/v0` contract, 7.2). */
export const lengthOf = (text: string): number => [...text].length

/** The messages of one field, in the order in which they were added. */
export type Messages = string[]

export const tooLong = (text: string, max: number): Messages =>
  lengthOf(text) > max ? [`should be at most ${max} character(s)`] : []

export const outOfBounds = (value: number, min: number, max: number): Messages => {
  if (value < min) return [`must be greater than or equal to ${min}`]
  return value > max ? [`must be less than or equal to ${max}`] : []
}

export const blank = "can't be blank"
export const isBlank = (text: string | null | undefined): boolean => text == null || trimmed(text) === ''
