/** Place of a fault in what was sent: keys and positions. A rule across fields has the path `base`. */
export type Path = readonly (string | number)[]

/** Path of a value that breaks a rule, and the message about it (A5). */
export type Fault = { path: Path; message: string }

/** Faults as an answer writes them: dotted path → messages (A5). */
export type FieldErrors = Record<string, string[]>

export const faultsAt = (path: Path, messages: readonly string[]): Fault[] =>
  messages.map((message) => ({ path, message }))

/** Moves faults below a field or an entry. */
export const below = (path: Path, faults: readonly Fault[]): Fault[] =>
  faults.map(({ path: rest, message }) => ({ path: [...path, ...rest], message }))

/** Max messages of one answer (A31). */
export const maxFaultMessages = 100

/** Writes the first messages of a request. */
export class MessageLimit {
  private room = maxFaultMessages

  get isReached(): boolean {
    return this.room === 0
  }

  /** Each message appears once per path. */
  take(faults: readonly Fault[]): FieldErrors {
    const taken: FieldErrors = {}
    for (const [path, group] of Map.groupBy(faults, ({ path }) => path.join('.'))) {
      if (this.isReached) break
      taken[path] = [...new Set(group.map(({ message }) => message))].slice(0, this.room)
      this.room -= taken[path].length
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
    if (messages.size === maxFaultMessages) break
  }
  return [...messages]
}
