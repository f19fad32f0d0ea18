/** Error of a request: the problem that the service returned (A5), or a failure of the network with status 0. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | null
  /** Messages by field, of a 422. */
  readonly errors: Record<string, string[]>
  /** Seconds after which a request can be repeated; null if the response does not state it. */
  readonly retryAfter: number | null

  constructor(status: number, members: Record<string, unknown>, retryAfter: number | null = null) {
    super(typeof members.detail === 'string' ? members.detail : `The service responded with status ${status}.`)
    this.status = status
    this.code = typeof members.code === 'string' ? members.code : 'unknown'
    this.requestId = typeof members.request_id === 'string' ? members.request_id : null
    this.errors = (members.errors as Record<string, string[]> | undefined) ?? {}
    this.retryAfter = retryAfter
  }

  /** True if an object was read whose id is unknown or malformed. */
  get namesNothing(): boolean {
    return this.status === 404 || this.code === 'invalid_path_parameter'
  }
}

/** Converts any error to a problem. `fetch` rejects with a `TypeError` if the service cannot be reached. */
export const toProblem = (error: unknown): Problem =>
  error instanceof Problem
    ? error
    : new Problem(0, { code: 'network', detail: 'The service cannot be reached. Check the connection, then retry.' })

/** Returns the messages of a field and of the values within it: `filters` includes `filters.0.ports`. */
export const messagesOf = (errors: Record<string, string[]>, field: string): string[] =>
  Object.entries(errors).flatMap(([key, messages]) => {
    if (key === field) return messages
    if (!key.startsWith(`${field}.`)) return []
    const [, index = '', ...rest] = key.split('.')
    const place = /^\d+$/.test(index) ? `${Number(index) + 1}${rest.length > 0 ? `, ${rest.join(' ')}` : ''}` : index
    return messages.map((message) => `${place}: ${message}`)
  })
