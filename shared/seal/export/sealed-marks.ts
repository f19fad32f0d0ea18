import { closeSync, openSync, readSync } from 'node:fs'
import { markBytes } from './export-seal.ts'

/** Position of the marks of an export in its file, in base64. */
export type MarksPlace = { path: string; begin: number; end: number }

/** Characters read at once, a whole number of marks. */
const perRead = 65_536

/** The first bytes of each leaf as it was sealed, read from the file in steps: an export can have millions. */
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

  /** True for the next mark; null behind the last one. */
  isNext(leaf: Buffer): boolean | null {
    if (this.at + markBytes > this.marks.length && !this.read()) return null
    const mark = this.marks.subarray(this.at, this.at + markBytes)
    this.at += markBytes
    return leaf.subarray(0, markBytes).equals(mark)
  }

  /** Reads the next marks. False where no whole mark is left, or where the text is not their base64. */
  private read(): boolean {
    const length = readSync(this.file, this.text, 0, Math.min(perRead, this.end - this.from), this.from)
    this.from += length
    const text = this.text.toString('latin1', 0, length)
    this.marks = Buffer.from(text, 'base64')
    this.at = 0
    const isWhole = this.marks.length >= markBytes && this.marks.length % markBytes === 0
    return isWhole && this.marks.toString('base64') === text
  }

  close(): void {
    closeSync(this.file)
  }
}
