/** Messages by the name of their field (A5). */
type Messages = Record<string, string[]>

/** So many messages are told of one request (A31). */
export const maxMessages = 100

/** Lets the first messages of a request through. */
export class MessageLimit {
  private room = maxMessages

  get isReached(): boolean {
    return this.room === 0
  }

  take(errors: Messages): Messages {
    const taken: Messages = {}
    for (const [field, messages] of Object.entries(errors)) {
      if (this.isReached) break
      const told = messages.slice(0, this.room)
      this.room -= told.length
      taken[field] = told
    }
    return taken
  }
}

/** The first messages about values that are refused, each message once. */
export function firstMessages<T>(values: T[], refuse: (value: T, index: number) => string | null): string[] {
  const messages = new Set<string>()
  for (const [index, value] of values.entries()) {
    const message = refuse(value, index)
    if (message !== null) messages.add(message)
    if (messages.size === maxMessages) break
  }
  return [...messages]
}
