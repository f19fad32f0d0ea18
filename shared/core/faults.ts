/** Path to an invalid value in a request, as keys and positions. A rule across several fields has the path `base`. */
export type Path = readonly (string | number)[]

export type Fault = { path: Path; message: string }

/** Error messages in a response, by dotted path (A5). */
export type FieldErrors = Record<string, string[]>

export const faultsAt = (path: Path, messages: readonly string[]): Fault[] =>
  messages.map((message) => ({ path, message }))

export const nestFaults = (path: Path, faults: readonly Fault[]): Fault[] =>
  faults.map(({ path: rest, message }) => ({ path: [...path, ...rest], message }))

/** Maximum number of messages in one response (A31). */
export const maxFaultMessages = 100

export class MessageLimit {
  private remaining = maxFaultMessages

  get isReached(): boolean {
    return this.remaining === 0
  }

  /** Returns each distinct message once per path, until the limit is reached. */
  take(faults: readonly Fault[]): FieldErrors {
    const messages: FieldErrors = {}
    for (const [path, group] of Map.groupBy(faults, ({ path }) => path.join('.'))) {
      if (this.isReached) break
      messages[path] = [...new Set(group.map(({ message }) => message))].slice(0, this.remaining)
      this.remaining -= messages[path].length
    }
    return messages
  }
}

/** Returns the first distinct messages about rejected values, at most `maxFaultMessages`. */
export function firstMessages<T>(values: T[], refuse: (value: T, index: number) => string | null): string[] {
  const messages = new Set<string>()
  for (const [index, value] of values.entries()) {
    const message = refuse(value, index)
    if (message !== null) messages.add(message)
    if (messages.size === maxFaultMessages) break
  }
  return [...messages]
}
