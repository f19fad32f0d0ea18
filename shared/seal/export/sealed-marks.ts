import { closeSync, openSync, readSync } from 'node:fs'
import { markBytes } from './export-seal.ts'

/** Where the marks of an export stand in its file, in base64. */
export type MarksPlace = { path: string; begin: number; end: number }

/** So many characters are read at once: whole marks. */
const perRead = 65_536

/** The first bytes of each leaf as it was sealed, read from the file one after the other: an export can have millions. */
export class SealedMarks {
  private readonly file: number
  private readonly end: number
  private from: number
  private readonly text = Buffer.alloc(perRead)
  private marks = Buffer.alloc(0)
  private at = 0

  constructor({ path, begin, end }: MarksPlace) {
    this.file = openSync(path, 'r')
    this.from = begin
    this.end = end
  }

  /** Tells if this is the next mark; null behind the last one. */
  isNext(leaf: Buffer): boolean | null {
    if (this.at + markBytes > this.marks.length && !this.read()) return null
    const mark = this.marks.subarray(this.at, this.at + markBytes)
    this.at += markBytes
    return leaf.subarray(0, markBytes).equals(mark)
  }

  /** Reads on. False where there is not a whole mark more. */
  private read(): boolean {
    const length = readSync(this.file, this.text, 0, Math.min(perRead, this.end - this.from), this.from)
    this.from += length
    this.marks = Buffer.from(this.text.toString('latin1', 0, length), 'base64')
    this.at = 0
    return this.marks.length >= markBytes
  }

  close(): void {
    closeSync(this.file)
  }
}

/** Characters of base64 that so many marks are. */
export const marksLength = (entries: number): number => 4 * Math.ceil((entries * markBytes) / 3)
