import { ApiError, type ErrorCode } from '../core/errors.ts'
import type { RefusalReason } from '../logs/refusals/refusals.ts'

/** Refusal to authorize a client (P5.2, steps 4 to 7). The response does not reveal a `reason` that is narrower than its code. */
export class AccessRefused extends ApiError {
  readonly reason: RefusalReason
  /** Properties of the conditions that were not met. */
  readonly violated: string[]

  constructor(reason: RefusalReason, code: ErrorCode, detail?: string, violated: string[] = []) {
    super(code, detail, violated.length > 0 ? { members: { violated } } : {})
    this.reason = reason
    this.violated = violated
  }
}
