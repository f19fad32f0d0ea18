/** One request to a provider. */
export type Call = {
  method?: 'GET' | 'POST'
  url: URL
  headers?: Record<string, string>
  body?: string
  /** Whether it reads on from a place in a list that the provider gave. */
  continues?: boolean
  /** What it costs of the provider's limits, in the provider's units; 1 unless told. */
  cost?: number
}

/** The answer of a provider as it was sent; `json` is undefined where that was none. */
export type Answer = {
  status: number
  headers: Headers
  json: unknown
  /** Secrets that the provider was sent, and that it may repeat. */
  secrets: readonly string[]
}

/** How a call is named in a sentence: without its query, which may hold what an administrator did not ask to see. */
export const nameOf = ({ method = 'GET', url }: Call): string => `${method} ${url.pathname}`
