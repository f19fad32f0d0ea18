import type { FieldErrors } from '../../core/errors.ts'

/** Why a record is refused; `truncated` tells that it has more faults than messages. */
export type Rejection = { errors: FieldErrors; truncated: boolean }

/** Messages that an answer lists of one record (L8). */
export const messagesPerRecord = 20

/** The messages of one record, as many as are asked for. Of what comes after them only the fact is kept. */
export class RecordFaults implements Rejection {
  // Without a prototype, so that a field called __proto__ is a field.
  readonly errors: FieldErrors = Object.create(null)
  truncated = false
  #left: number

  constructor(mostMessages: number) {
    this.#left = mostMessages
  }

  get none(): boolean {
    return !this.truncated && Object.keys(this.errors).length === 0
  }

  add(field: string, message: string): void {
    if (this.#left > 0) this.errors[field] = [message]
    else this.truncated = true
    this.#left--
  }
}
