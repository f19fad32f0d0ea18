/** Processes all items in order, at most `width` at a time. @throws the first error */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const iterator = items[Symbol.iterator]()
  const lane = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: width }, lane))
}

/** Processes all items like `inParallel`, but continues after failures. @throws AggregateError of all errors */
export async function attemptAll<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<unknown>,
  message: string,
): Promise<void> {
  const errors: unknown[] = []
  await inParallel(items, width, (item) => work(item).catch((error) => errors.push(error)))
  if (errors.length > 0) throw new AggregateError(errors, message)
}

export const slicesOf = <T>(items: T[], length: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / length) }, (_, i) => items.slice(i * length, (i + 1) * length))
